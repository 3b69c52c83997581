"""Chains of a route: packets take precedence over claims, and contradictions are reported."""

from pyibc.indexer.chains.registry import Registered
from pyibc.indexer.chains.resolve import ChainFact, Named, Names
from pyibc.indexer.chains.routes import MAX_NOTES, PACKETS, PacketRoute, RouteNames, name_chains
from pyibc.indexer.events.facts import CHANNEL, CLIENT, CONNECTION

PATH = (1, "transfer", "channel-1", "wasm.x", "channel-2")
V2 = (2, "transfer", "cl-1", "transfer", "cl-2")


def over(chain, port, channel, other):
    return [
        ChainFact(CLIENT, chain, "cl-1", other_chain=other),
        ChainFact(CONNECTION, chain, "cl-1", "connection-4"),
        ChainFact(CHANNEL, chain, None, "connection-4", port, channel),
    ]


def test_a_side_that_was_not_seen_is_named_by_the_other():
    told = over("a-1", "transfer", "channel-1", "b-1") + over("b-1", "wasm.x", "channel-2", "a-1")
    ways = [
        PacketRoute(PATH, "a-1", None),
        PacketRoute(PATH, None, "b-1"),
        PacketRoute(PATH, "a-1", "b-1"),
        PacketRoute(PATH, "c-1", None),
    ]
    claimed = [Named(chain, "handshake") for chain in ("b-1", "a-1")]
    seen = [Named(chain, PACKETS) for chain in ("a-1", "b-1", "c-1")]
    assert name_chains(ways, Names(told)) == (
        [
            RouteNames(seen[0], claimed[0]),
            RouteNames(claimed[1], seen[1]),
            RouteNames(seen[0], seen[1]),
            RouteNames(seen[2], Named()),
        ],
        [],
    )


def test_packets_decide_against_a_claim_and_that_is_said():
    told = over("a-1", "transfer", "channel-1", "mallory-1")
    (names,), (note,) = name_chains([PacketRoute(PATH, "a-1", "b-1")], Names(told))
    assert names == RouteNames(Named("a-1", PACKETS), Named("b-1", PACKETS))
    assert note.reason == "a-1 claims mallory-1 at an end with packets of b-1, which take precedence"
    given = Names([], [Registered("a-1", "", "channel-1", "typo-1")])
    (names,), (note,) = name_chains([PacketRoute(PATH, "a-1", "b-1")], given)
    assert names.dst == Named("b-1", PACKETS)
    assert note.reason == (
        "your file names typo-1 at an end of a-1 with packets of b-1, which take precedence"
    )


def test_clients_of_ibc_v2_and_queues():
    told = [
        ChainFact(CLIENT, "a-1", "cl-1", other_chain="b-1"),
        ChainFact(CLIENT, "b-1", "cl-2", other_chain="a-1"),
    ]
    queue = (0, "mail", "a-1", "mail", "b-1")
    ways = [
        PacketRoute(V2, "a-1", None),
        PacketRoute(V2, None, "b-1"),
        PacketRoute(queue, "a-1", "b-1"),
        PacketRoute(queue, "a-1", None),
    ]
    found, notes = name_chains(ways, Names(told))
    assert [(names.src.chain, names.dst.chain) for names in found] == [
        ("a-1", "b-1"),
        ("a-1", "b-1"),
        ("a-1", "b-1"),
        ("a-1", None),
    ]
    assert notes == []


def test_a_packet_table_has_no_ports_and_is_named_by_the_users_file():
    way = PacketRoute((1, None, "channel-1", None, None), "a-1", None)
    (names,), notes = name_chains([way], Names([], [Registered("a-1", "", "channel-1", "b-1")]))
    assert (names.dst, notes) == (Named("b-1", "registry"), [])


def test_notes_are_few():
    ways = [
        PacketRoute((1, "p", f"channel-{n}", "p", "channel-1"), "a-1", None) for n in range(MAX_NOTES + 5)
    ]
    told = [
        ChainFact(CHANNEL, "a-1", None, f"connection-{over}", "p", f"channel-{n}")
        for n in range(MAX_NOTES + 5)
        for over in (1, 2)
    ]
    _, notes = name_chains(ways, Names(told))
    assert len(notes) == MAX_NOTES + 1
    assert notes[-1].reason == "5 more ends with conflicting facts"
    assert "connections connection-1 and connection-2" in notes[0].reason
