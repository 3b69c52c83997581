"""Chain B answers later: once, over an open channel, with something."""

from dataclasses import replace

import pytest

from conformance.kit.mutate_state import change_channel
from pyibc.core import paths
from pyibc.core.channel.types import ChannelState, Order
from pyibc.core.errors import (
    AcknowledgementExists,
    ChannelNotFound,
    InvalidAcknowledgement,
    InvalidChannelState,
)
from pyibc.core.packet.types import acknowledgement_commitment

ANSWER = b'{"result":"bGF0ZXI="}'


@pytest.fixture
def waiting(scene):
    """A stage on B that received a packet and has not answered it."""
    scene.b.app.script["on_recv_packet"] = lambda *_: None
    stage, packet = scene.stage(scene.b), scene.packets[Order.UNORDERED].fresh
    assert stage.attempt(scene.to_b.recv(packet)).error is None
    stage.ctx.take_events()
    return stage, packet, scene.b.scripted.sender


def key(packet):
    path = paths.packet_acknowledgement_path(packet.port_id_on_b, packet.channel_id_on_b, packet.sequence)
    return ("ibc", path)


def test_an_answer_is_committed_to_and_told(waiting):
    stage, packet, sender = waiting
    before = stage.writes()
    sender.write_acknowledgement(stage.ctx, packet, ANSWER)
    assert stage.writes() == before | {key(packet): acknowledgement_commitment(ANSWER)}
    (kind, attributes), _ = stage.ctx.events
    assert kind == "write_acknowledgement"
    assert dict(attributes)["packet_ack_hex"] == ANSWER.hex()
    assert dict(attributes)["packet_data_hex"] == packet.data.hex()


def refuse(waiting, error, packet=None, answer=ANSWER, **fields):
    stage, sent, sender = waiting
    before = stage.writes()
    with pytest.raises(error) as caught:
        sender.write_acknowledgement(stage.ctx, packet or sent, answer)
    assert {name: getattr(caught.value, name) for name in fields} == fields
    assert (stage.writes(), stage.ctx.events) == (before, [])


def test_a_second_answer_is_refused(waiting):
    stage, packet, sender = waiting
    sender.write_acknowledgement(stage.ctx, packet, ANSWER)
    stage.ctx.take_events()
    refuse(waiting, AcknowledgementExists, sequence=packet.sequence)
    refuse(waiting, AcknowledgementExists, answer=b"another")


def test_an_empty_answer_is_refused(waiting):
    refuse(waiting, InvalidAcknowledgement, answer=b"", reason="it is empty")


def test_a_channel_that_is_not_there_is_refused(waiting):
    refuse(waiting, ChannelNotFound, packet=replace(waiting[1], channel_id_on_b="channel-999"))


@pytest.mark.parametrize("state", [ChannelState.INIT, ChannelState.TRYOPEN, ChannelState.CLOSED])
def test_a_channel_that_is_not_open_is_refused(waiting, state):
    stage, packet, _ = waiting
    change_channel(stage.ctx, packet.port_id_on_b, packet.channel_id_on_b, state=state)
    refuse(waiting, InvalidChannelState, got=state.name)
