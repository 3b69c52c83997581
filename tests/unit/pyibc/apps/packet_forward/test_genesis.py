"""Packets on their way in a genesis, both ways."""

import pytest

from conformance.memory import MemoryStore
from pyibc.apps.packet_forward import state
from pyibc.apps.packet_forward.state import STORE_NAME, InFlight, encode_in_flight
from pyibc.core.host.overlay import BlockContext
from pyibc.core.setup_error import InvalidGenesis

WAITING = InFlight(
    "alice", "channel-3", "transfer", "channel-1", "transfer", 5, "1-500", b"data", 9, 2, 600 * 10**9
)
JSON = {
    "original_sender_address": "alice",
    "refund_channel_id": "channel-3",
    "refund_port_id": "transfer",
    "packet_src_channel_id": "channel-1",
    "packet_src_port_id": "transfer",
    "packet_timeout_timestamp": "5",
    "packet_timeout_height": "1-500",
    "packet_data": "ZGF0YQ==",
    "refund_sequence": "9",
    "retries_remaining": 2,
    "timeout": "600000000000",
}
KEY = "channel-6/transfer/41"


def block(entries=None):
    return BlockContext("beta-1", 1, 1, {"ibc": MemoryStore(), STORE_NAME: MemoryStore(entries)})


def entries(ctx):
    return dict(ctx.reader(STORE_NAME).iterate(b"\0", None))


def init(packets, **more):
    ctx = block()
    state.init(ctx, {STORE_NAME: {"in_flight_packets": packets, **more}})
    return entries(ctx)


def test_a_new_chain_forwards_nothing():
    ctx = block()
    state.init(ctx, {})
    assert state.export(ctx) == {STORE_NAME: {"in_flight_packets": {}, "other_entries": []}}


def test_as_ibc_go_exports_it():
    stored = {KEY.encode(): encode_in_flight(WAITING)}
    assert state.export(block(stored))[STORE_NAME] == {
        "in_flight_packets": {KEY: JSON},
        "other_entries": [],
    }
    assert init({KEY: JSON}) == stored


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (b"channel-6/transfer/x", encode_in_flight(WAITING)),
        (b"channel-6", encode_in_flight(WAITING)),
        (b"channel-6/transfer/041", encode_in_flight(WAITING)),
        (b"\xff/transfer/1", encode_in_flight(WAITING)),
        (KEY.encode(), b"\x0a\x05abc"),
        (KEY.encode(), encode_in_flight(WAITING) + b"\x88\x01\x01"),
        (KEY.encode(), encode_in_flight(WAITING._replace(timeout_height_on_b="soon"))),
    ],
)
def test_what_is_no_packet_stays_as_it_is(key, value):
    exported = state.export(block({key: value}))
    assert exported[STORE_NAME]["in_flight_packets"] == {}
    again = block()
    state.init(again, exported)
    assert entries(again) == {key: value}


def changed(name, content):
    return {"in_flight_packets": {KEY: JSON | {name: content}}}


@pytest.mark.parametrize(
    ("given", "where"),
    [
        (7, ""),
        ({"packets": {}}, ""),
        ({"in_flight_packets": []}, ".in_flight_packets"),
        ({"in_flight_packets": {"x": JSON}}, ".in_flight_packets.x"),
        ({"in_flight_packets": {"c/p/-1": JSON}}, ".in_flight_packets.c/p/-1"),
        (changed("more", 1), f".in_flight_packets.{KEY}.more"),
        (changed("refund_port_id", ""), f".in_flight_packets.{KEY}.refund_port_id"),
        (changed("refund_channel_id", "c"), f".in_flight_packets.{KEY}.refund_channel_id"),
        (changed("packet_src_port_id", ""), f".in_flight_packets.{KEY}.packet_src_port_id"),
        (changed("packet_src_channel_id", ""), f".in_flight_packets.{KEY}.packet_src_channel_id"),
        (changed("packet_timeout_height", "7"), f".in_flight_packets.{KEY}.packet_timeout_height"),
        ({"in_flight_packets": {KEY: JSON}, "other_entries": [7]}, ".other_entries[0]"),
    ],
)
def test_what_no_chain_can_start_from(given, where):
    ctx = block()
    with pytest.raises(InvalidGenesis) as refused:
        state.init(ctx, {STORE_NAME: given})
    assert refused.value.key == STORE_NAME + where
    assert entries(ctx) == {}
