"""Chain A takes a packet back from a channel that B closed: the good case, and every check as a row."""

from dataclasses import replace

import pytest

from conformance.kit.refusal_rows import (
    client_rows,
    delay_row,
    packet_rows,
    proof_rows,
    signer_rows,
    source_channel,
)
from conformance.kit.refusals import Row, check_row, expect_refusal, packet_setting, setting
from pyibc.core import paths
from pyibc.core.channel.types import Order
from pyibc.core.errors import (
    ChannelNotFound,
    ConnectionNotFound,
    InvalidPacket,
    InvalidProof,
    InvalidRoute,
    InvalidSequence,
)

BOTH = [Order.UNORDERED, Order.ORDERED]
SUCCESS = b"\x08\x02"


def good(scene, order):
    return scene.to_a.timeout_on_close(scene.stranded[order], order)


ROWS = [
    *signer_rows(),
    *packet_rows(),
    *proof_rows("proof_close_on_b", "proof_height_on_b", "close"),
    *(
        row._replace(name=f"unreceived: {row.name}")
        for row in proof_rows("proof_unreceived_on_b", "proof_height_on_b", "unreceived")
        if row.name.startswith(("no proof", "proof"))
    ),
    *client_rows(),
    delay_row(),
    Row("next sequence 0", setting(next_sequence_recv_on_b=0), InvalidSequence),
    Row("port unbound", packet_setting(port_id_on_a="nobody"), InvalidRoute, {"port_id": "nobody"}),
    Row("no such channel", packet_setting(channel_id_on_a="channel-999"), ChannelNotFound),
    Row("destination port another", packet_setting(port_id_on_b="transfer"), InvalidPacket),
    Row("destination channel another", packet_setting(channel_id_on_b="channel-999"), InvalidPacket),
    Row("connection lost", source_channel(connection_hops=("connection-999",)), ConnectionNotFound),
    Row("data changed", packet_setting(data=b"changed"), InvalidPacket),
    Row("timeout changed", packet_setting(timeout_ns_on_b=1), InvalidPacket),
    Row("our version another", source_channel(version="other"), InvalidProof),
]


@pytest.mark.parametrize("order", BOTH)
@pytest.mark.parametrize("row", ROWS, ids=repr)
def test_refusals(scene, row, order):
    check_row(scene.stage(scene.a), good(scene, order), row)


@pytest.mark.parametrize("order", BOTH)
def test_our_ordering_must_be_the_closed_ends(scene, order):
    other = BOTH[order is Order.UNORDERED]
    row = Row("", source_channel(ordering=other), InvalidProof)
    check_row(scene.stage(scene.a), good(scene, order), row)
    row = Row("", source_channel(ordering=Order.NONE), InvalidProof)
    check_row(scene.stage(scene.a), good(scene, order), row)


@pytest.mark.parametrize("order", BOTH)
def test_an_open_channel_strands_nothing(scene, order):
    # Neither the proof of its OPEN end, nor that of another channel's CLOSED one.
    fresh = scene.packets[order].fresh
    message = scene.to_a.timeout_on_close(fresh, order, next_recv=fresh.sequence)
    expect_refusal(scene.stage(scene.a), message, InvalidProof)
    closed = good(scene, order).proof_close_on_b
    expect_refusal(scene.stage(scene.a), replace(message, proof_close_on_b=closed), InvalidProof)


def commitment(packet):
    key = paths.packet_commitment_path(packet.port_id_on_a, packet.channel_id_on_a, packet.sequence)
    return ("ibc", key)


def test_an_unordered_packet_comes_back(scene):
    message = good(scene, Order.UNORDERED)
    attempt = scene.stage(scene.a).attempt(message)
    assert (attempt.error, attempt.response) == (None, SUCCESS)
    assert attempt.writes == {commitment(message.packet): None}
    assert [kind for kind, _ in attempt.events] == ["timeout_packet", "message"]
    assert scene.a.app.calls == ["on_timeout_packet"]
