"""MsgTransfer leaves from the port of ICS-20 alone."""

from dataclasses import replace

import pytest

from conformance.kit import sides
from conformance.kit.pair import Pair
from conformance.kit.paired_chain import NEVER
from conformance.kit.scripted_app import PORT, VERSION
from conformance.kit.staged_block import StagedBlock
from pyibc.apps.transfer.coins import escrow_address
from pyibc.apps.transfer.messages import MsgTransfer
from pyibc.core import paths
from pyibc.core.application.services import DecodedMessage
from pyibc.core.channel.types import Order
from pyibc.core.errors import ChannelNotFound, InvalidAddress

CHANNEL = sides.A.channel_id


def message(pair, port, channel):
    sender = pair.a.user.signer
    return MsgTransfer(port, channel, "ualpha", "5", sender, pair.b.user.signer, NEVER, 0, "")


def test_another_applications_channel_carries_no_coins():
    """Its application would get ICS-20's data, and the coins would wait where nobody finds them."""
    pair = Pair.connected()
    other = pair.open(pair.ports, Order.UNORDERED, VERSION)
    assert other.a.channel_id != pair.transfer.a.channel_id
    before = pair.a.balance(pair.a.user.wallet.address.raw, "ualpha")
    outcome = pair.a.submit_as_user(message(pair, PORT, other.a.channel_id))
    assert (outcome.codespace, outcome.code) == (ChannelNotFound.codespace, ChannelNotFound.code)
    assert pair.a.balance(pair.a.user.wallet.address.raw, "ualpha") == before


def test_the_port_that_is_named_only_says_that_there_is_a_channel():
    """As in ibc-go: where both ports have a channel of that name, the coins leave over ICS-20's."""
    pair = Pair.connected()
    stage = StagedBlock(pair.a.chain)
    end = pair.a.keepers.channels.get(stage.ctx, "transfer", CHANNEL)
    pair.a.keepers.channels.set(stage.ctx, PORT, CHANNEL, end)
    attempt = stage.attempt(message(pair, PORT, CHANNEL))
    assert attempt.error is None
    assert ("ibc", paths.packet_commitment_path("transfer", CHANNEL, 1)) in attempt.writes
    bank = pair.a.chain.app.bank
    assert bank.balance(stage.ctx, escrow_address("transfer", CHANNEL), "ualpha") == 5
    assert not any(b"ports/mock" in key for _, key in attempt.writes)


@pytest.mark.parametrize("receiver", ["", " ", "\u2028"])
def test_a_message_that_nobody_checked_has_a_receiver(receiver):
    """Of a transfer that middleware makes; ibc-go's handler looks at the receiver as well."""
    pair = Pair.connected()
    stage = StagedBlock(pair.a.chain)
    unchecked = replace(message(pair, "transfer", CHANNEL), receiver=receiver)
    executor = pair.a.chain.app.pipeline.executor
    with pytest.raises(InvalidAddress):
        executor.execute(stage.ctx, DecodedMessage(MsgTransfer.TYPE_URL, unchecked))
    bank = pair.a.chain.app.bank
    assert bank.balance(stage.ctx, escrow_address("transfer", CHANNEL), "ualpha") == 0
