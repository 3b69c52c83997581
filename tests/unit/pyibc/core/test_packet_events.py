"""Packet events: the values an emitter wrote come back, and nothing else passes."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyibc.core.channel.types import Order
from pyibc.core.comet import compact_events
from pyibc.core.errors import InvalidPacket
from pyibc.core.height import Height
from pyibc.core.numbers import MAX_U64
from pyibc.core.packet.events import PacketEvent, read_packet_event
from pyibc.core.packet.types import Packet, timeout_elapsed
from tests.sampling import rounds


def attributes(packet: Packet, **more: str) -> tuple[tuple[str, str], ...]:
    return (
        ("packet_data_hex", packet.data.hex()),
        ("packet_timeout_height", str(packet.timeout_height_on_b)),
        ("packet_timeout_timestamp", str(packet.timeout_ns_on_b)),
        ("packet_sequence", str(packet.sequence)),
        ("packet_src_port", packet.port_id_on_a),
        ("packet_src_channel", packet.channel_id_on_a),
        ("packet_dst_port", packet.port_id_on_b),
        ("packet_dst_channel", packet.channel_id_on_b),
        ("packet_channel_ordering", "ORDER_UNORDERED"),
        ("packet_connection", "connection-1"),
        ("connection_id", "connection-1"),
        *more.items(),
    )


PACKET = Packet(7, "transfer", "channel-0", "transfer", "channel-4", b"\x00{}", Height(1, 99), 5)
numbers = st.integers(0, MAX_U64)


@settings(deadline=None, max_examples=rounds(15, 60))
@given(st.binary(), numbers, numbers, numbers, numbers)
def test_every_packet_comes_back(data: bytes, sequence: int, revision: int, height: int, stamp: int) -> None:
    packet = Packet(sequence, "p-1", "channel-3", "q-2", "channel-9", data, Height(revision, height), stamp)
    seen = read_packet_event(("send_packet", attributes(packet)))
    assert seen is not None
    assert seen.packet == packet
    assert (seen.kind, seen.order, seen.connection_id) == ("send_packet", Order.UNORDERED, "connection-1")
    late = timeout_elapsed(seen.packet.timeout_height_on_b, stamp, Height(0, 0), MAX_U64)
    assert late == (stamp != 0)


def test_acknowledgement_in_hex_and_as_old_chains_wrote_it() -> None:
    both = attributes(PACKET, packet_ack_hex="7b7d", packet_ack="x")
    new = read_packet_event(("write_acknowledgement", both))
    old = read_packet_event(("write_acknowledgement", attributes(PACKET, packet_ack='{"result":"AQ=="}')))
    assert new is not None
    assert old is not None
    assert (new.acknowledgement, old.acknowledgement) == (b"{}", b'{"result":"AQ=="}')


def test_data_as_old_chains_wrote_it() -> None:
    rest = [p for p in attributes(PACKET) if p[0] != "packet_data_hex"]
    pairs = (*rest, ("packet_data", "{é}"))
    seen = read_packet_event(("recv_packet", pairs))
    assert seen is not None
    assert seen.packet.data == "{é}".encode()


@pytest.mark.parametrize("kind", ["acknowledge_packet", "timeout_packet"])
def test_events_without_data(kind: str) -> None:
    seen = read_packet_event((kind, tuple(p for p in attributes(PACKET) if p[0] != "packet_data_hex")))
    assert seen is not None
    assert seen.packet.data == b""
    assert seen.packet.sequence == 7


@pytest.mark.parametrize(
    "event",
    [
        ("message", (("module", "ibc_channel"),)),
        ("ibccallbackerror-send_packet", attributes(PACKET)),
        ("send_packet", (("packet_source_client", "07-tendermint-0"), ("packet_sequence", "1"))),
    ],
)
def test_other_events_are_none(event: tuple[str, tuple[tuple[str, str], ...]]) -> None:
    assert read_packet_event(event) is None


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("packet_sequence", "01"),
        ("packet_sequence", "18446744073709551616"),
        ("packet_sequence", "-1"),
        ("packet_timeout_timestamp", "1e9"),
        ("packet_timeout_height", "7"),
        ("packet_data_hex", "abc"),
        ("packet_data_hex", "zz"),
        ("packet_src_port", ""),
    ],
)
def test_wrongly_spelled(key: str, text: str) -> None:
    pairs = tuple((k, text if k == key else v) for k, v in attributes(PACKET))
    with pytest.raises(InvalidPacket, match=key.removesuffix("_hex")):
        read_packet_event(("send_packet", pairs))


def test_missing_acknowledgement() -> None:
    with pytest.raises(InvalidPacket, match="packet_ack_hex"):
        read_packet_event(("write_acknowledgement", attributes(PACKET)))


def test_a_brief_event_tells_the_packet_and_neither_its_channel_nor_its_bytes_twice() -> None:
    told = attributes(PACKET, packet_data="{}", packet_ack_hex="7b7d", packet_ack="{}", msg_index="3")
    ((kind, left),) = compact_events([("write_acknowledgement", told)])
    assert kind == "write_acknowledgement"
    assert left == (*attributes(PACKET)[:8], ("packet_ack_hex", "7b7d"))
    assert read_packet_event((kind, left)) == PacketEvent(kind, PACKET, Order.NONE, "", b"{}")


def test_bytes_that_are_there_in_text_alone_stay() -> None:
    rest = [pair for pair in attributes(PACKET) if pair[0] != "packet_data_hex"]
    told = (*rest, ("packet_data", "{é}"), ("packet_ack", "x"))
    ((kind, left),) = compact_events([("write_acknowledgement", told)])
    assert left == (*rest[:7], ("packet_data", "{é}"), ("packet_ack", "x"))
    assert read_packet_event((kind, left)).packet.data == "{é}".encode()


def test_a_brief_event_of_clients_is_the_same_but_for_its_message() -> None:
    told = (("packet_source_client", "07-tendermint-0"), ("encoded_packet_hex", "00"), ("msg_index", "0"))
    assert compact_events([("send_packet", told)]) == (("send_packet", told[:2]),)


@pytest.mark.parametrize("kind", ["message", "connection_open_init", "channel_close", "ibc_transfer"])
def test_events_of_other_types_are_told_whole(kind: str) -> None:
    event = (kind, (("connection_id", "connection-0"), ("packet_data", "x"), ("msg_index", "0")))
    assert compact_events([event]) == (event,)
