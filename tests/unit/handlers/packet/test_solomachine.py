"""A solo machine over the messages that ibc-go's recordings have none of: each proof uses a sequence up.

The others are in `solomachine_localhost.json.gz` (tests/vectors).
"""

import pytest

from conformance.kit.refusals import expect_refusal, expect_undone
from conformance.kit.scripted_app import PORT, VERSION
from conformance.kit.solo_machine import SoloMachine
from light_client.solomachine import codec
from pyibc.core import paths
from pyibc.core.channel.messages import (
    MsgChannelOpenConfirm,
    MsgChannelOpenTry,
)
from pyibc.core.channel.types import ChannelCounterparty, ChannelEnd, ChannelState, Order
from pyibc.core.client.messages import MsgCreateClient
from pyibc.core.connection.messages import (
    MsgConnectionOpenConfirm,
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
from pyibc.core.packet.messages import MsgTimeoutOnClose
from pyibc.core.packet.types import Packet
from pyibc.core.wire import states
from pyibc.testing.pair import SHIFTED

CLIENT = f"06-solomachine-{SHIFTED.client + 1}"
FAR_PORT = "far-port"
THERE = ("solo-client", "connection-7", "channel-9")
AT = Height(0, 1)


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

    def open(self):
        """Connection and channel, begun by the machine; returns the channel."""
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

    def send(self, channel):
        sender, until = self.scene.a.scripted.sender, Height(0, 10**6)
        sequence = sender.send_packet(self.stage.ctx, PORT, channel, until, 0, b"out")
        self.stage.ctx.take_events()
        return Packet(sequence, PORT, channel, FAR_PORT, THERE[2], b"out", until, 0)

    def unreceived(self, packet):
        if self.order is Order.ORDERED:
            path = paths.next_sequence_recv_path(FAR_PORT, THERE[2])
            return path, be8(packet.sequence)
        return paths.packet_receipt_path(FAR_PORT, THERE[2], packet.sequence), b""


@pytest.fixture(params=[Order.UNORDERED, Order.ORDERED], ids=lambda order: order.name)
def road(scene, request):
    return Road(scene, request.param)


def test_the_machine_opens_a_channel(road):
    road.open()
    assert road.sequence() == 5


def test_a_timeout_on_close_uses_two_up(road):
    channel = road.open()
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
