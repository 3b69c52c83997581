"""Revisions of a chain with packets over its upgrade, as exports: what tests of lineages read."""

from pyibc.proto.google.protobuf.any_pb2 import Any
from pyibc.proto.ibc.lightclients.tendermint.v1 import tendermint_pb2 as tendermint

LATER = 1000  # seconds from the first block of osmo-1 to that of osmo-2
ACK = b'{"result":"AQ=="}'.hex()


def step(chains, chain, height, kind, sequence, ends, owner, **more):
    if kind == "write_acknowledgement":
        more["packet_ack_hex"] = ACK
    chains.event(chain, height, kind, sequence, owner=owner, amount=str(100 + sequence), **ends, **more)


def ends_of(chains):
    """The ends of osmo and the hub; the chains of a prefix have their own path."""
    return ("transfer", "channel-5"), (f"wasm.{chains.prefix}hub", "channel-9")


def out(chains, sequence, *steps, **more):
    """Steps of a packet from osmo to the hub, as chain, height and kind."""
    src, dst = ends_of(chains)
    for chain, height, kind in steps:
        step(chains, chain, height, kind, sequence, {"src": src, "dst": dst}, "osmo", **more)


def back(chains, sequence, *steps, **more):
    """Steps of a packet from the hub to osmo."""
    src, dst = ends_of(chains)
    for chain, height, kind in steps:
        step(chains, chain, height, kind, sequence, {"src": dst, "dst": src}, "hub", **more)


def received(chain, height):
    return (chain, height, "recv_packet"), (chain, height, "write_acknowledgement")


def osmosis(chains, start=1):
    """Seven packets over osmo-1, which stops, and osmo-2, whose heights begin with `start`."""
    chains.halt("osmo-2", start, LATER + 1 - start)
    sent(chains, start - 1)
    returned(chains, start - 1)
    ends = [
        ("osmo-1", 1),
        ("osmo-1", 50),
        ("osmo-2", start),
        ("osmo-2", start + 59),
        ("hub-4", 1),
        ("hub-4", 1060),
    ]
    for chain, height in ends:
        chains.empty(chain, height)
    return chains


def sent(chains, two):
    """Packets from osmo-1 and osmo-2, whose height of 1 is `two` + 1."""
    out(
        chains, 1, ("osmo-1", 10, "send_packet"), *received("hub-4", 12), ("osmo-1", 14, "acknowledge_packet")
    )
    out(
        chains,
        2,
        ("osmo-1", 20, "send_packet"),
        *received("hub-4", 22),
        ("osmo-2", two + 5, "acknowledge_packet"),
    )
    out(chains, 3, ("osmo-1", 30, "send_packet"), ("osmo-2", two + 7, "timeout_packet"), until=40 * 10**9)
    out(
        chains,
        4,
        ("osmo-1", 45, "send_packet"),
        *received("hub-4", 1005),
        ("osmo-2", two + 30, "acknowledge_packet"),
    )
    out(
        chains,
        9,
        ("osmo-2", two + 20, "send_packet"),
        *received("hub-4", 1025),
        ("osmo-2", two + 40, "acknowledge_packet"),
    )


def returned(chains, two):
    """Packets to osmo-1 and osmo-2."""
    back(
        chains, 1, ("hub-4", 10, "send_packet"), *received("osmo-1", 12), ("hub-4", 14, "acknowledge_packet")
    )
    back(
        chains,
        2,
        ("hub-4", 45, "send_packet"),
        *received("osmo-2", two + 8),
        ("hub-4", 1012, "acknowledge_packet"),
    )


def claims(chains, height, chain_id, client="07-tendermint-2"):
    """An update of a hub's client with a header of a chain."""
    raw = header_of(chains.prefix + chain_id)
    chains.event("hub-4", height, "update_client", 1, client_id=client, header=raw.hex())


def header_of(chain_id):
    header = tendermint.Header()
    header.signed_header.header.chain_id, header.signed_header.header.height = chain_id, 5
    packed = Any(type_url=f"/{header.DESCRIPTOR.full_name}", value=header.SerializeToString())
    return packed.SerializeToString()


def claimed(chains, client="07-tendermint-2", older="osmo-1"):
    """Two packets from osmo-1, of which the hub received one; its client claims `older` and osmo-2."""
    chains.halt("osmo-2", 1, LATER)
    chains.event(
        "hub-4",
        2,
        "connection_open_try",
        1,
        connection_id="connection-6",
        client_id=client,
    )
    chains.event(
        "hub-4",
        3,
        "channel_open_try",
        1,
        port_id=ends_of(chains)[1][0],
        channel_id="channel-9",
        connection_id="connection-6",
    )
    claims(chains, 4, older)
    claims(chains, 1004, "osmo-2")
    out(
        chains, 1, ("osmo-1", 10, "send_packet"), *received("hub-4", 12), ("osmo-1", 14, "acknowledge_packet")
    )
    out(chains, 2, ("osmo-1", 20, "send_packet"), until=10**18)
    chains.empty("osmo-2", 1)
    chains.empty("osmo-2", 60)
    chains.empty("hub-4", 1060)
    return chains


def restarted(chains):
    """The newer chain acknowledges a packet once more, at a lower height; both update a client."""
    osmosis(chains)
    out(chains, 1, ("osmo-2", 3, "acknowledge_packet"))
    client = {"client_id": "07-tendermint-1"}
    chains.event("osmo-2", 4, "update_client", 1, **client, consensus_height="4-900")
    chains.event("osmo-1", 40, "update_client", 1, **client, consensus_height="4-39")


def holed(chains, start=1, lost=("osmo-2", 2)):
    """A block is missing; packet 6 may have been answered in it, and packet 10 was not."""
    osmosis(chains, start)
    for sequence, chain, height in ((6, "osmo-1", 48), (10, "osmo-2", start + 54)):
        out(chains, sequence, (chain, height, "send_packet"), until=100 * 10**9)
    for chain in ("osmo-1", "osmo-2", "hub-4"):
        chains.fill(chain)
    del chains.blocks[lost]


def contradicted(chains):
    """Both chains received a packet: they are two."""
    osmosis(chains)
    back(chains, 1, *received("osmo-2", 9))


def alike(chains):
    """Networks of one name send the same sequences."""
    chains.halt("test-5", 1, LATER)
    for chain in ("test-4", "test-5"):
        out(chains, 1, (chain, 10, "send_packet"), (chain, 19, "acknowledge_packet"))
        out(chains, 2, (chain, 11, "send_packet"))


def stated(chains):
    """Chains that only the user can join."""
    chains.halt("test-5", 1, LATER)
    out(chains, 1, ("test-4", 10, "send_packet"), until=10**18)
    out(chains, 2, ("test-5", 10, "send_packet"), until=10**18)
