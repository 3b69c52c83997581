"""Chain B receives: what no recording of ibc-go shows; its refusals are in `packet_errors.json.gz`."""

from dataclasses import replace

import pytest

from conformance.kit import sides
from conformance.kit.refusal_rows import (
    bit_flips,
)
from conformance.kit.refusals import Row, check_row, expect_refusal, mutating
from conformance.kit.scenario import ACK, REFUSAL
from pyibc.core import paths
from pyibc.core.application.classic import AppAcknowledgement
from pyibc.core.channel import events as channel_events
from pyibc.core.channel.types import ChannelState, Order
from pyibc.core.errors import (
    CommitmentError,
    InvalidChannelState,
    InvalidProof,
    PacketSequenceOutOfOrder,
    SequenceReceiveNotFound,
    TimeoutElapsed,
)
from pyibc.core.packet.types import acknowledgement_commitment

BOTH = [Order.UNORDERED, Order.ORDERED]
SUCCESS = b"\x08\x02"


def good(scene, order):
    return scene.to_b.recv(scene.packets[order].fresh)


def receipt(packet):
    return ("ibc", paths.packet_receipt_path(packet.port_id_on_b, packet.channel_id_on_b, packet.sequence))


def answer(packet):
    key = paths.packet_acknowledgement_path(packet.port_id_on_b, packet.channel_id_on_b, packet.sequence)
    return ("ibc", key)


def next_recv(packet):
    return ("ibc", paths.next_sequence_recv_path(packet.port_id_on_b, packet.channel_id_on_b))


@pytest.mark.parametrize("order", BOTH)
def test_events_name_the_packet_before_the_application_and_its_answer_after(scene, order):
    message = good(scene, order)
    attempt = scene.stage(scene.b).attempt(message)
    assert [kind for kind, _ in attempt.events] == [
        "recv_packet",
        "message",
        "scripted_received",
        "write_acknowledgement",
        "message",
    ]
    received, answered = dict(attempt.events[0][1]), dict(attempt.events[3][1])
    packet = message.packet
    assert received == {
        "packet_data_hex": packet.data.hex(),
        "packet_timeout_height": "1-1000000",
        "packet_timeout_timestamp": "0",
        "packet_sequence": str(packet.sequence),
        "packet_src_port": sides.A.port,
        "packet_src_channel": packet.channel_id_on_a,
        "packet_dst_port": sides.B.port,
        "packet_dst_channel": packet.channel_id_on_b,
        "packet_channel_ordering": order.text,
        "packet_connection": sides.B.connection_id,
        "connection_id": sides.B.connection_id,
    }
    assert answered == {**received, "packet_ack_hex": ACK.hex()}


def test_h4_a_refusing_application_leaves_its_answer_and_nothing_else(scene):
    fresh = scene.packets[Order.UNORDERED].fresh
    scene.b.app.script["on_recv_packet"] = lambda *_: AppAcknowledgement(success=False, data=REFUSAL)
    attempt = scene.stage(scene.b).attempt(scene.to_b.recv(fresh))
    assert attempt.response == SUCCESS
    assert attempt.writes == {receipt(fresh): b"\x01", answer(fresh): acknowledgement_commitment(REFUSAL)}
    renamed = channel_events.callback_error(("scripted_received", (("sequence", str(fresh.sequence)),)))
    assert renamed in attempt.events
    assert "scripted_received" not in [kind for kind, _ in attempt.events]


def test_an_ordered_packet_beyond_the_next_is_refused(scene):
    packets = scene.packets[Order.ORDERED]
    facts = {"expected": packets.fresh.sequence, "got": packets.beyond.sequence}
    message = scene.to_b.recv(packets.beyond)
    expect_refusal(scene.stage(scene.b), message, PacketSequenceOutOfOrder, **facts)


def test_an_ordered_channel_without_its_sequence_is_refused(scene):
    message = good(scene, Order.ORDERED)
    row = Row(
        "", mutating(lambda ctx, msg: ctx.ibc.delete(next_recv(msg.packet)[1])), SequenceReceiveNotFound
    )
    check_row(scene.stage(scene.b), message, row)


def test_the_proof_comes_before_the_replay_check(scene):
    message = scene.to_b.recv(scene.packets[Order.UNORDERED].received)
    changed = replace(message, packet=replace(message.packet, data=b"changed"))
    expect_refusal(scene.stage(scene.b), changed, InvalidProof)


@pytest.mark.parametrize("order", BOTH)
def test_h18_a_bit_flipped_anywhere_in_the_proof_is_refused(scene, order):
    message, stage = good(scene, order), scene.stage(scene.b)
    accepted = []
    for number, spoilt in enumerate(bit_flips(message, "proof_commitment_on_a")):
        attempt = stage.attempt(spoilt)
        if not isinstance(attempt.error, CommitmentError):
            accepted.append((number, attempt.error))
    assert accepted == []
    assert stage.writes() == {}


def test_a_closed_channel_receives_nothing_more(scene):
    packet = scene.stranded[Order.UNORDERED]
    facts = {"got": ChannelState.CLOSED.name}
    expect_refusal(scene.stage(scene.b), scene.to_b.recv(packet), InvalidChannelState, **facts)


@pytest.mark.parametrize("order", BOTH)
def test_a_late_packet_is_refused(scene, order):
    facts = {"timestamp_ns": scene.stage(scene.b).ctx.time_ns}
    expect_refusal(scene.stage(scene.b), scene.to_b.recv(scene.expired[order]), TimeoutElapsed, **facts)
