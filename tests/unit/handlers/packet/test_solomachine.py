"""A solo machine over every message that proves something: each accepted proof uses one sequence up.

A refused message uses none, and neither does a redundant one.
"""

import pytest

from conformance.kit.refusals import expect_refusal, expect_undone
from conformance.kit.scripted_app import PORT, VERSION
from conformance.kit.solo_machine import SoloMachine
from light_client.solomachine import codec
from pyibc.core import paths
from pyibc.core.channel.messages import (
    MsgChannelCloseConfirm,
    MsgChannelOpenAck,
    MsgChannelOpenConfirm,
    MsgChannelOpenInit,
    MsgChannelOpenTry,
)
from pyibc.core.channel.types import ChannelCounterparty, ChannelEnd, ChannelState, Order
from pyibc.core.client.messages import MsgCreateClient
from pyibc.core.connection.messages import (
    MsgConnectionOpenAck,
    MsgConnectionOpenConfirm,
    MsgConnectionOpenInit,
    MsgConnectionOpenTry,
)
from pyibc.core.connection.types import (
    DEFAULT_VERSION,
    ConnectionCounterparty,
    ConnectionEnd,
    ConnectionState,
)
from pyibc.core.errors import SignatureVerificationFailed
from pyibc.core.height import Height
from pyibc.core.numbers import be8
from pyibc.core.packet import acknowledgement as acks
from pyibc.core.packet.messages import MsgAcknowledgement, MsgRecvPacket, MsgTimeout, MsgTimeoutOnClose
from pyibc.core.packet.types import Packet, acknowledgement_commitment, packet_commitment
from pyibc.core.wire import states
from pyibc.testing.pair import SHIFTED

CLIENT = f"06-solomachine-{SHIFTED.client + 1}"
FAR_PORT = "far-port"
THERE = ("solo-client", "connection-7", "channel-9")
AT = Height(0, 1)
NOOP = b"\x08\x01"


class Road:
    """A block of chain A with a client of the machine, and what the machine signs."""

    def __init__(self, scene, order):
        self.scene, self.order = scene, order
        self.stage = scene.stage(scene.a)
        self.signer = scene.to_a.signer
        self.machine = SoloMachine("road", 2, 2)
        self.must(MsgCreateClient(*self.machine.states(), self.signer))

    def must(self, message):
        attempt = self.stage.attempt(message)
        assert attempt.error is None, attempt.error
        return attempt

    def sequence(self):
        return codec.load_client_state(self.stage.ctx.ibc.get(paths.client_state_path(CLIENT))).sequence

    def signed(self, path, value, ahead=0):
        self.machine.sequence = self.sequence() + ahead
        return self.machine.proof(path, value)

    def proves(self, make, path, value):
        """`make(proof)` is refused with a forged proof, taken with a good one, which it uses up."""
        due, before = self.sequence(), self.stage.writes()
        expect_undone(self.stage, make(self.signed(path, value, ahead=1)), SignatureVerificationFailed)
        assert (self.sequence(), self.stage.writes()) == (due, before)
        attempt = self.must(make(self.signed(path, value)))
        assert self.sequence() == due + 1
        return attempt

    def connection(self, state, ours=""):
        far = ConnectionCounterparty(CLIENT, ours, paths.COMMITMENT_PREFIX)
        end = ConnectionEnd(THERE[0], (DEFAULT_VERSION,), state, far, 0)
        return paths.connection_path(THERE[1]), states.encode_connection_end(end)

    def channel(self, state, ours=""):
        end = ChannelEnd(state, self.order, ChannelCounterparty(PORT, ours), (THERE[1],), VERSION)
        return paths.channel_path(FAR_PORT, THERE[2]), states.encode_channel_end(end)

    def next_id(self, counter, prefix):
        return f"{prefix}-{int.from_bytes(self.stage.ctx.ibc.get(counter), 'big')}"

    def open_as_a(self):
        """Connection and channel, begun here; returns the channel."""
        connection = self.next_id(paths.NEXT_CONNECTION_SEQUENCE, "connection")
        far = ConnectionCounterparty(THERE[0], "", b"ibc")
        self.must(MsgConnectionOpenInit(CLIENT, far, DEFAULT_VERSION, 0, self.signer))
        self.proves(
            lambda p: MsgConnectionOpenAck(connection, THERE[1], DEFAULT_VERSION, p, AT, self.signer),
            *self.connection(ConnectionState.TRYOPEN, connection),
        )
        channel = self.next_id(paths.NEXT_CHANNEL_SEQUENCE, "channel")
        end = ChannelEnd(
            ChannelState.INIT, self.order, ChannelCounterparty(FAR_PORT, ""), (connection,), VERSION
        )
        self.must(MsgChannelOpenInit(PORT, end, self.signer))
        self.proves(
            lambda p: MsgChannelOpenAck(PORT, channel, THERE[2], VERSION, p, AT, self.signer),
            *self.channel(ChannelState.TRYOPEN, channel),
        )
        return channel

    def open_as_b(self):
        """The same, begun by the machine."""
        connection = self.next_id(paths.NEXT_CONNECTION_SEQUENCE, "connection")
        far = ConnectionCounterparty(THERE[0], THERE[1], b"ibc")
        self.proves(
            lambda p: MsgConnectionOpenTry(CLIENT, far, 0, (DEFAULT_VERSION,), p, AT, self.signer),
            *self.connection(ConnectionState.INIT),
        )
        self.proves(
            lambda p: MsgConnectionOpenConfirm(connection, p, AT, self.signer),
            *self.connection(ConnectionState.OPEN, connection),
        )
        channel = self.next_id(paths.NEXT_CHANNEL_SEQUENCE, "channel")
        far = ChannelCounterparty(FAR_PORT, THERE[2])
        end = ChannelEnd(ChannelState.TRYOPEN, self.order, far, (connection,), VERSION)
        self.proves(
            lambda p: MsgChannelOpenTry(PORT, "", end, VERSION, p, AT, self.signer),
            *self.channel(ChannelState.INIT),
        )
        self.proves(
            lambda p: MsgChannelOpenConfirm(PORT, channel, p, AT, self.signer),
            *self.channel(ChannelState.OPEN, channel),
        )
        return channel

    def incoming(self, channel, sequence):
        return Packet(sequence, FAR_PORT, THERE[2], PORT, channel, b"in", Height(9, 9), 0)

    def send(self, channel, timeout_ns=0):
        sender, until = self.scene.a.scripted.sender, Height(0, 0 if timeout_ns else 10**6)
        sequence = sender.send_packet(self.stage.ctx, PORT, channel, until, timeout_ns, b"out")
        self.stage.ctx.take_events()
        return Packet(sequence, PORT, channel, FAR_PORT, THERE[2], b"out", until, timeout_ns)

    def unreceived(self, packet):
        if self.order is Order.ORDERED:
            path = paths.next_sequence_recv_path(FAR_PORT, THERE[2])
            return path, be8(packet.sequence)
        return paths.packet_receipt_path(FAR_PORT, THERE[2], packet.sequence), b""


@pytest.fixture(params=[Order.UNORDERED, Order.ORDERED], ids=lambda order: order.name)
def road(scene, request):
    return Road(scene, request.param)


def test_the_machine_opens_a_channel(road):
    road.open_as_b()
    assert road.sequence() == 5


def commitment(packet):
    path = paths.packet_commitment_path(packet.port_id_on_a, packet.channel_id_on_a, packet.sequence)
    return path, packet_commitment(packet)


def test_a_packet_comes_in_and_its_second_relayer_uses_nothing_up(road):
    channel = road.open_as_a()
    packet = road.incoming(channel, 1)
    road.proves(lambda p: MsgRecvPacket(packet, p, AT, road.signer), *commitment(packet))
    due = road.sequence()
    for _ in range(2):
        again = MsgRecvPacket(packet, road.signed(*commitment(packet)), AT, road.signer)
        attempt = road.must(again)
        assert (attempt.response, attempt.writes, attempt.events) == (NOOP, {}, ())
        assert road.sequence() == due
    stale = MsgRecvPacket(packet, road.signed(*commitment(packet), ahead=-1), AT, road.signer)
    expect_refusal(road.stage, stale, SignatureVerificationFailed)


def test_a_packet_is_acknowledged(road):
    packet = road.send(road.open_as_a())
    ack = acks.success()
    path = paths.packet_acknowledgement_path(FAR_PORT, THERE[2], packet.sequence)
    road.proves(
        lambda p: MsgAcknowledgement(packet, ack, p, AT, road.signer), path, acknowledgement_commitment(ack)
    )


def test_a_packet_times_out(road):
    packet = road.send(road.open_as_a(), timeout_ns=11)
    road.machine.timestamp = 11
    state = codec.load_client_state(road.stage.ctx.ibc.get(paths.client_state_path(CLIENT)))
    later = state._replace(consensus_state=state.consensus_state._replace(timestamp=11))
    road.stage.ctx.ibc.set(paths.client_state_path(CLIENT), codec.pack_client_state(later))
    road.proves(lambda p: MsgTimeout(packet, p, AT, 1, road.signer), *road.unreceived(packet))


def test_a_timeout_on_close_uses_two_up(road):
    channel = road.open_as_a()
    packet = road.send(channel)
    due = road.sequence()

    def message(first, second):
        closed = road.signed(*road.channel(ChannelState.CLOSED, channel), ahead=first)
        unreceived = road.signed(*road.unreceived(packet), ahead=second)
        return MsgTimeoutOnClose(packet, unreceived, closed, AT, 1, road.signer)

    for wrong in ((0, 0), (1, 1), (1, 0), (0, 2)):
        expect_refusal(road.stage, message(*wrong), SignatureVerificationFailed)
        assert road.sequence() == due
    road.must(message(0, 1))
    assert road.sequence() == due + 2


def test_a_close_is_followed(road):
    channel = road.open_as_a()
    road.proves(
        lambda p: MsgChannelCloseConfirm(PORT, channel, p, AT, road.signer),
        *road.channel(ChannelState.CLOSED, channel),
    )
