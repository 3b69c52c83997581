"""A chain that sends to itself: a channel over connection-localhost, from handshake to end (ICS-9)."""

import pytest

from conformance.kit.paired_chain import NEVER, PairedChain
from conformance.kit.scripted_app import PORT, VERSION
from conformance.kit.staged_block import StagedBlock
from light_client.registry import SENTINEL_PROOF
from pyibc.core.channel.messages import (
    MsgChannelOpenAck,
    MsgChannelOpenConfirm,
    MsgChannelOpenInit,
    MsgChannelOpenTry,
)
from pyibc.core.channel.types import ChannelCounterparty, ChannelEnd, ChannelState, Order
from pyibc.core.coin import coin
from pyibc.core.errors import (
    ConsensusStateNotFound,
)
from pyibc.core.height import Height
from pyibc.core.packet.events import read_packet_event
from pyibc.core.packet.messages import MsgRecvPacket, MsgTimeout
from pyibc.testing.pair import ManualClock

HERE = ("connection-localhost",)
ANY = Height(0, 1)  # of a localhost proof only a timeout looks at the height


class Alone:
    """One chain's next block; the relayer and the user both live on it."""

    def __init__(self):
        self.side = PairedChain("alone-1", ManualClock(), [coin("ucoin", 1_000)])
        self.stage = StagedBlock(self.side.chain)
        self.signer = self.side.relayer.signer
        self.user = self.side.user.wallet.address

    def do(self, message):
        attempt = self.stage.attempt(message)
        assert attempt.error is None, attempt.error
        return attempt

    def refuse(self, message, error):
        assert isinstance(self.stage.attempt(message).error, error)

    def end(self, state, order, far, port, version):
        return ChannelEnd(state, order, ChannelCounterparty(port, far), HERE, version)

    def open(self, port, order, version):
        """Names of both ends of a new channel."""
        one, other, signer = "channel-0", "channel-1", self.signer
        self.do(MsgChannelOpenInit(port, self.end(ChannelState.INIT, order, "", port, version), signer))
        tried = self.end(ChannelState.TRYOPEN, order, one, port, version)
        self.do(MsgChannelOpenTry(port, "", tried, version, SENTINEL_PROOF, ANY, signer))
        self.do(MsgChannelOpenAck(port, one, other, version, SENTINEL_PROOF, ANY, signer))
        self.do(MsgChannelOpenConfirm(port, other, SENTINEL_PROOF, ANY, signer))
        return one, other

    def send(self, channel, data=b"x", height=NEVER):
        """A packet of the scripted application."""
        start = len(self.stage.ctx.events)
        self.side.scripted.sender.send_packet(self.stage.ctx, PORT, channel, height, 0, data)
        return sent(self.stage.ctx.events[start:])

    def later(self, blocks):
        """A height of this chain, so many blocks from now."""
        now = self.stage.ctx.height
        return Height(now.revision_number, now.revision_height + blocks)

    def timeout(self, packet):
        """Takes a packet back, by the block under way."""
        return MsgTimeout(packet, SENTINEL_PROOF, self.stage.ctx.height, 1, self.signer)

    def state_of(self, port, channel):
        return self.side.keepers.channels.get(self.stage.ctx, port, channel).state

    def pending(self, packet):
        return self.side.keepers.packets.commitment(self.stage.ctx, packet) is not None

    def balance(self, raw, denom):
        return self.side.chain.app.bank.balance(self.stage.ctx, raw, denom)


def sent(events):
    return next(read_packet_event(event).packet for event in events if event[0] == "send_packet")


@pytest.fixture
def alone():
    return Alone()


@pytest.mark.parametrize("order", [Order.UNORDERED, Order.ORDERED])
@pytest.mark.parametrize("revision", [0, 1])
def test_h74_nobody_times_a_packet_out_by_a_height_of_his_choice(alone, order, revision):
    one, _ = alone.open(PORT, order, VERSION)
    packet = alone.send(one, height=alone.later(5))
    for ahead in (1, 5, 1_000):
        at = alone.later(ahead)
        early = MsgTimeout(
            packet, SENTINEL_PROOF, Height(at.revision_number + revision, at.revision_height), 1, alone.signer
        )
        before = alone.stage.writes()
        alone.refuse(early, ConsensusStateNotFound)
        assert alone.stage.writes() == before
    assert alone.pending(packet)
    assert alone.state_of(PORT, one) is ChannelState.OPEN
    assert "on_timeout_packet" not in alone.side.app.calls
    alone.do(MsgRecvPacket(packet, SENTINEL_PROOF, ANY, alone.signer))
