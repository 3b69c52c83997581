"""A chain that sends to itself: a channel over connection-localhost, from handshake to end (ICS-9)."""

import pytest

from conformance.kit.paired_chain import NEVER, PairedChain
from conformance.kit.scripted_app import PORT, VERSION
from conformance.kit.staged_block import StagedBlock
from light_client.registry import SENTINEL_PROOF
from pyibc.apps.transfer.coins import escrow_address
from pyibc.apps.transfer.denom import parse_denom
from pyibc.apps.transfer.messages import MsgTransfer
from pyibc.core.channel.messages import (
    MsgChannelCloseConfirm,
    MsgChannelCloseInit,
    MsgChannelOpenAck,
    MsgChannelOpenConfirm,
    MsgChannelOpenInit,
    MsgChannelOpenTry,
)
from pyibc.core.channel.types import ChannelCounterparty, ChannelEnd, ChannelState, Order
from pyibc.core.coin import coin
from pyibc.core.errors import (
    ConsensusStateNotFound,
    FailedNonMembershipVerification,
    InvalidProof,
    TimeoutNotReached,
)
from pyibc.core.height import Height
from pyibc.core.packet import acknowledgement as acks
from pyibc.core.packet.events import read_packet_event
from pyibc.core.packet.messages import MsgAcknowledgement, MsgRecvPacket, MsgTimeout, MsgTimeoutOnClose
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


def test_coins_leave_one_end_and_arrive_at_the_other(alone):
    one, other = alone.open("transfer", Order.UNORDERED, "ics20-1")
    assert alone.state_of("transfer", one) is alone.state_of("transfer", other) is ChannelState.OPEN
    sender, receiver = alone.user, alone.side.relayer.wallet.address
    there = alone.do(MsgTransfer("transfer", one, "ucoin", "7", sender.text, receiver.text, NEVER, 0, ""))
    packet = sent(there.events)
    alone.do(MsgRecvPacket(packet, SENTINEL_PROOF, ANY, alone.signer))
    alone.do(MsgAcknowledgement(packet, acks.success(), SENTINEL_PROOF, ANY, alone.signer))
    voucher = parse_denom(f"transfer/{other}/ucoin").coin_denom
    assert alone.balance(receiver.raw, voucher) == 7
    assert alone.balance(escrow_address("transfer", one), "ucoin") == 7
    assert not alone.pending(packet)
    home = alone.do(MsgTransfer("transfer", other, voucher, "7", receiver.text, sender.text, NEVER, 0, ""))
    alone.do(MsgRecvPacket(sent(home.events), SENTINEL_PROOF, ANY, alone.signer))
    assert alone.balance(sender.raw, "ucoin") == 1_000


@pytest.mark.parametrize("order", [Order.UNORDERED, Order.ORDERED])
def test_a_packet_times_out_by_the_chains_own_clock(alone, order):
    one, _ = alone.open(PORT, order, VERSION)
    packet = alone.send(one, height=alone.later(5))
    alone.refuse(alone.timeout(packet), TimeoutNotReached)
    alone.stage.ctx.height = packet.timeout_height_on_b
    alone.do(alone.timeout(packet))
    assert not alone.pending(packet)
    assert alone.side.app.calls[-1] == "on_timeout_packet"
    assert (alone.state_of(PORT, one) is ChannelState.CLOSED) is (order is Order.ORDERED)


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


def test_one_proof_is_good_and_what_it_stands_for_must_be_so(alone):
    one, _ = alone.open(PORT, Order.UNORDERED, VERSION)
    packet = alone.send(one, height=alone.later(5))
    alone.refuse(MsgRecvPacket(packet, b"\x02", ANY, alone.signer), InvalidProof)
    alone.do(MsgRecvPacket(packet, SENTINEL_PROOF, ANY, alone.signer))
    alone.stage.ctx.height = packet.timeout_height_on_b
    alone.refuse(alone.timeout(packet), FailedNonMembershipVerification)


def test_a_closed_channel_gives_its_packet_back(alone):
    one, other = alone.open(PORT, Order.UNORDERED, VERSION)
    packet = alone.send(one)
    alone.do(MsgChannelCloseInit(PORT, other, alone.signer))
    alone.do(MsgTimeoutOnClose(packet, SENTINEL_PROOF, SENTINEL_PROOF, ANY, 1, alone.signer))
    alone.do(MsgChannelCloseConfirm(PORT, one, SENTINEL_PROOF, ANY, alone.signer))
    assert not alone.pending(packet)
    assert alone.state_of(PORT, one) is alone.state_of(PORT, other) is ChannelState.CLOSED
