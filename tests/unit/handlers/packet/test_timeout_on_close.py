"""Chain A takes a packet back from a channel that B closed; refusals are in the recording `timeouts`."""

from dataclasses import replace

import pytest

from conformance.kit.refusal_rows import (
    source_channel,
)
from conformance.kit.refusals import Row, check_row, expect_refusal
from pyibc.core import paths
from pyibc.core.channel.types import Order
from pyibc.core.errors import (
    InvalidProof,
)

BOTH = [Order.UNORDERED, Order.ORDERED]
SUCCESS = b"\x08\x02"


def good(scene, order):
    return scene.to_a.timeout_on_close(scene.stranded[order], order)


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
