"""Events: attributes and their order, as ibc-go emits them and relayers read them."""

from ibc_core.channel import events as channel
from ibc_core.channel.types import ChannelCounterparty, ChannelEnd, ChannelState, Order
from ibc_core.client import events as client
from ibc_core.connection import events as connection
from ibc_core.connection.types import ConnectionCounterparty, ConnectionEnd, ConnectionState
from ibc_core.height import Height
from ibc_core.packet.types import (
    Packet,
    acknowledge_packet_event,
    event_head,
    recv_packet_event,
    send_packet_event,
    timeout_packet_event,
    write_acknowledgement_event,
)

END = ChannelEnd(
    ChannelState.OPEN, Order.ORDERED, ChannelCounterparty("their-port", "channel-9"), ("connection-3",), "v1"
)
PACKET = Packet(7, "port-a", "channel-1", "port-b", "channel-2", b"\x01\xff", Height(2, 30), 44)
ENDS = [
    ("port_id", "mine"),
    ("channel_id", "channel-1"),
    ("counterparty_port_id", "their-port"),
    ("counterparty_channel_id", "channel-9"),
    ("connection_id", "connection-3"),
]
ROUTE = [
    ("packet_timeout_height", "2-30"),
    ("packet_timeout_timestamp", "44"),
    ("packet_sequence", "7"),
    ("packet_src_port", "port-a"),
    ("packet_src_channel", "channel-1"),
    ("packet_dst_port", "port-b"),
    ("packet_dst_channel", "channel-2"),
]
DATA = [("packet_data_hex", "01ff")]
CHANNEL = [
    ("packet_channel_ordering", "ORDER_ORDERED"),
    ("packet_connection", "connection-3"),
    ("connection_id", "connection-3"),
]


def split(event):
    kind, attributes = event
    return kind, list(attributes)


def test_packets():
    head = event_head(PACKET)
    assert split(send_packet_event(PACKET, END)) == ("send_packet", DATA + ROUTE + CHANNEL)
    assert split(recv_packet_event(head, END)) == ("recv_packet", DATA + ROUTE + CHANNEL)
    answered = split(write_acknowledgement_event(head, b"\x02", END))
    assert answered == ("write_acknowledgement", [*DATA, *ROUTE, ("packet_ack_hex", "02"), *CHANNEL])
    assert split(acknowledge_packet_event(PACKET, END)) == ("acknowledge_packet", ROUTE + CHANNEL)
    tail = [("connection_id", "connection-3"), ("packet_channel_ordering", "ORDER_ORDERED")]
    assert split(timeout_packet_event(PACKET, END)) == ("timeout_packet", ROUTE + tail)


def test_channel_handshake():
    opened = ("channel_open_init", [*ENDS[:3], ENDS[4], ("version", "v1")])
    assert split(channel.open_init("mine", "channel-1", END)) == opened
    answered = ("channel_open_try", [*ENDS, ("version", "v1")])
    assert split(channel.open_try("mine", "channel-1", END)) == answered
    for step in ("open_ack", "open_confirm", "close_init", "close_confirm"):
        assert split(channel.step(step, "mine", "channel-1", END)) == (f"channel_{step}", ENDS)


def test_a_channel_closed_by_timeout():
    kind, attributes = split(channel.closed_by_timeout(PACKET, END))
    assert kind == "channel_close"
    assert attributes == [("port_id", "port-a"), *ENDS[1:], ("packet_channel_ordering", "ORDER_ORDERED")]


def test_connections():
    assert split(connection.open_init("connection-0", "07-tendermint-1", "07-tendermint-2")) == (
        "connection_open_init",
        [
            ("connection_id", "connection-0"),
            ("client_id", "07-tendermint-1"),
            ("counterparty_client_id", "07-tendermint-2"),
        ],
    )
    other = ConnectionCounterparty("07-tendermint-2", "connection-5", b"ibc")
    end = ConnectionEnd("07-tendermint-1", (), ConnectionState.OPEN, other, 0)
    for step in ("open_try", "open_ack", "open_confirm"):
        kind, attributes = split(connection.open_step(step, "connection-0", end))
        assert kind == f"connection_{step}"
        assert attributes == [
            ("connection_id", "connection-0"),
            ("client_id", "07-tendermint-1"),
            ("counterparty_client_id", "07-tendermint-2"),
            ("counterparty_connection_id", "connection-5"),
        ]


def test_clients():
    base = [("client_id", "07-tendermint-1"), ("client_type", "07-tendermint")]
    created = client.create_client("07-tendermint-1", "07-tendermint", Height(1, 5))
    assert split(created) == ("create_client", [*base, ("consensus_height", "1-5")])
    heights = [Height(1, 7), Height(1, 6)]
    updated = client.update_client("07-tendermint-1", "07-tendermint", heights)
    assert split(updated) == (
        "update_client",
        [*base, ("consensus_height", "1-7"), ("consensus_heights", "1-7,1-6")],
    )
    nothing = client.update_client("07-tendermint-1", "07-tendermint", [])
    assert split(nothing)[1][2:] == [("consensus_height", ""), ("consensus_heights", "")]
    frozen = client.client_misbehaviour("07-tendermint-1", "07-tendermint")
    assert split(frozen) == ("client_misbehaviour", base)


def test_module_names():
    assert channel.MODULE == ("message", (("module", "ibc_channel"),))
    assert connection.MODULE == ("message", (("module", "ibc_connection"),))
    assert client.MODULE == ("message", (("module", "ibc_client"),))


def test_h4_an_undone_event_is_taken_for_nothing_else():
    event = ("fungible_token_packet", (("sender", "a"), ("success", "true")))
    assert channel.callback_error(event) == (
        "ibccallbackerror-fungible_token_packet",
        (("ibccallbackerror-sender", "a"), ("ibccallbackerror-success", "true")),
    )
