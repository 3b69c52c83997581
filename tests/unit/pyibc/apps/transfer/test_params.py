"""Transfers are opened and closed by the host's authority alone."""

from dataclasses import replace

import pytest

from conformance.kit.pair import Pair
from conformance.kit.paired_chain import NEVER
from conformance.kit.refusals import expect_refusal
from conformance.kit.staged_block import StagedBlock
from ibc_module.plugin import Config
from pyibc.apps.transfer import state
from pyibc.apps.transfer.messages import MsgTransfer, MsgUpdateTransferParams
from pyibc.codec.anys import AnyMessage
from pyibc.core.application.classic import Opening, Received
from pyibc.core.channel.types import ChannelCounterparty, Order
from pyibc.core.errors import (
    DenomNotFound,
    InvalidAddress,
    InvalidAmount,
    MaxTransferChannels,
    ReceiveDisabled,
    SendDisabled,
    TxDecode,
    UnauthorizedTx,
)
from pyibc.core.numbers import MAX_U256
from pyibc.core.packet import acknowledgement as acks
from pyibc.core.packet.types import Packet
from pyibc.proto.ibc.applications.transfer.v1 import transfer_pb2, tx_pb2
from pyibc.relayer.money.wallet import Wallet

AUTHORITY = Wallet.from_seed("authority", "cosmos").address


@pytest.fixture(scope="module")
def pair():
    return Pair.connected(config=Config(authority=AUTHORITY.text))


@pytest.fixture
def stage(pair):
    return StagedBlock(pair.a.chain)


def update(send=True, receive=True, signer=AUTHORITY.text):
    params = transfer_pb2.Params(send_enabled=send, receive_enabled=receive)
    return AnyMessage(
        MsgUpdateTransferParams.TYPE_URL,
        tx_pb2.MsgUpdateParams(signer=signer, params=params).SerializeToString(),
    )


def transfer(pair):
    end = pair.transfer.a
    sender = pair.a.user.signer
    return MsgTransfer(end.port_id, end.channel_id, "ualpha", "1", sender, pair.b.user.signer, NEVER, 0, "")


def test_both_ways_are_open_from_the_start(stage):
    assert state.params(stage.ctx) == state.Params(True, True)


def test_the_authority_closes_and_opens(pair, stage):
    attempt = stage.attempt(update(send=False, receive=False))
    assert (attempt.error, attempt.response, attempt.events) == (None, b"", ())
    assert attempt.writes.keys() == {("transfer", b"params")}
    expect_refusal(stage, transfer(pair), SendDisabled)
    assert stage.attempt(update()).error is None
    assert stage.attempt(transfer(pair)).error is None


def test_h39b_nobody_else_does(pair, stage):
    expect_refusal(stage, update(signer=pair.a.user.signer), UnauthorizedTx)
    expect_refusal(stage, update(signer="nobody"), InvalidAddress, field="signer")
    expect_refusal(stage, AnyMessage(MsgUpdateTransferParams.TYPE_URL, b"\xff"), TxDecode)


def test_a_chain_without_an_authority_has_none():
    pair = Pair.connected()
    expect_refusal(StagedBlock(pair.a.chain), update(signer=pair.a.user.signer), UnauthorizedTx)


def test_while_receiving_is_closed_packets_are_answered_with_its_code(pair, stage):
    stage.attempt(update(receive=False))
    before = stage.writes()
    end, user = pair.transfer.a, pair.a.user.signer
    data = b'{"denom":"ubeta","amount":"1","sender":"x","receiver":"%b"}' % user.encode()
    far = pair.transfer.b
    packet = Packet(1, far.port_id, far.channel_id, end.port_id, end.channel_id, data, NEVER, 0)
    app = pair.a.keepers.ports.route("transfer")
    answer = app.on_recv_packet(stage.ctx, Received("ics20-1", packet, pair.a.relayer.wallet.address))
    assert (answer.success, answer.data) == (False, acks.failure(ReceiveDisabled()))
    assert stage.writes() == before


@pytest.mark.parametrize("channel", ["channel-4294967296", "channel-18446744073709551615", "mockchannel"])
def test_escrow_addresses_are_for_channels_of_32_bits(pair, stage, channel):
    app = pair.a.keepers.ports.route("transfer")
    given = (Order.UNORDERED, "connection-0", "transfer", channel, ChannelCounterparty("transfer", ""))
    for ask in (app.on_chan_open_init, app.on_chan_open_try):
        with pytest.raises(MaxTransferChannels):
            ask(stage.ctx, Opening(*given, "ics20-1"))
    last = Opening(*given, "")._replace(channel_id="channel-4294967295")
    assert app.on_chan_open_init(stage.ctx, last) == "ics20-1"


def test_the_amount_is_looked_at_before_the_name_of_the_coin(pair, stage):
    strange = replace(transfer(pair), denom=f"ibc/{'AB' * 32}")
    expect_refusal(stage, strange, DenomNotFound)
    expect_refusal(stage, replace(strange, amount=str(MAX_U256)), InvalidAmount)  # all of it: there is none
