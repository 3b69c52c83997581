"""Chain A learns the answer; refusals are in the recording `packet_errors.json.gz`."""

import pytest

from conformance.kit.refusal_rows import (
    bit_flips,
)
from conformance.kit.refusals import (
    Row,
    check_row,
    mutating,
)
from conformance.kit.scenario import ACK, REFUSAL
from pyibc.core import paths
from pyibc.core.channel.types import Order
from pyibc.core.errors import (
    CommitmentError,
    SequenceAckNotFound,
)

BOTH = [Order.UNORDERED, Order.ORDERED]


def good(scene, order):
    return scene.to_a.acknowledge(scene.packets[order].received, ACK)


def commitment(packet):
    key = paths.packet_commitment_path(packet.port_id_on_a, packet.channel_id_on_a, packet.sequence)
    return ("ibc", key)


def next_ack(packet):
    return ("ibc", paths.next_sequence_ack_path(packet.port_id_on_a, packet.channel_id_on_a))


def test_h5_the_application_gets_the_answer_when_the_packet_is_closed_already(scene):
    seen = []

    def look(ctx, version, packet, acknowledgement, relayer):
        seen.append((version, acknowledgement, relayer.text, ctx.ibc.get(commitment(packet)[1])))

    scene.a.app.script["on_acknowledgement_packet"] = look
    scene.stage(scene.a).attempt(scene.to_a.acknowledge(scene.refused, REFUSAL))
    assert seen == [("mock-version", REFUSAL, scene.a.relayer.signer, None)]


def test_an_ordered_channel_without_its_sequence_is_refused(scene):
    gone = mutating(lambda ctx, msg: ctx.ibc.delete(next_ack(msg.packet)[1]))
    check_row(scene.stage(scene.a), good(scene, Order.ORDERED), Row("", gone, SequenceAckNotFound))


@pytest.mark.parametrize("order", BOTH)
def test_h18_a_bit_flipped_anywhere_in_the_proof_is_refused(scene, order):
    message, stage = good(scene, order), scene.stage(scene.a)
    errors = [stage.attempt(spoilt).error for spoilt in bit_flips(message, "proof_ack_on_b")]
    assert [error for error in errors if not isinstance(error, CommitmentError)] == []
    assert stage.writes() == {}
