"""What the middleware makes of packets, answers and timeouts."""

import json

import pytest

from pyibc.apps.packet_forward.middleware import intermediate_account
from pyibc.apps.packet_forward.state import decode_in_flight
from pyibc.apps.transfer import state
from pyibc.apps.transfer.coins import escrow_address
from pyibc.apps.transfer.denom import parse_denom
from pyibc.core.application.classic import Acknowledged, AppAcknowledgement, Received, TimedOut
from pyibc.core.coin import coin
from pyibc.core.errors import (
    ApplicationFault,
    ForwardReceiveFailed,
    ForwardRefundFailed,
    ForwardTransferFailed,
    LogicFault,
    OutOfGas,
    SendDisabled,
    UnknownMessage,
)
from pyibc.core.packet import acknowledgement as acks
from pyibc.core.paths import channel_path
from tests.unit.pyibc.apps.packet_forward.conftest import CODEC

ALICE = CODEC.encode(b"a" * 20)
ACCOUNT = CODEC.encode(intermediate_account("channel-3", ALICE.text)).text
RELAYER = CODEC.encode(b"r" * 20)
VOUCHER = parse_denom("transfer/channel-3/uatom").coin_denom
FAILED = b'{"error":"ABCI code: %d: error handling packet: see events for details"}'


def memo(**more):
    return json.dumps({"forward": {"receiver": "carol", "port": "transfer", "channel": "channel-6", **more}})


def data(denom="uatom", text=None, sender=ALICE.text, receiver="x", amount="10"):
    fields = {"denom": denom, "amount": amount, "sender": sender, "receiver": receiver}
    return json.dumps(fields | ({} if text is None else {"memo": text})).encode()


def receive(chain, packet):
    return chain.app.on_recv_packet(chain.ctx, Received("ics20-1", packet, RELAYER))


def acknowledge(chain, packet, answer):
    chain.app.on_acknowledgement_packet(chain.ctx, Acknowledged("ics20-1", packet, answer, RELAYER))


def time_out(chain, packet):
    chain.app.on_timeout_packet(chain.ctx, TimedOut("ics20-1", packet, RELAYER))


# -- what comes


@pytest.mark.parametrize(
    "raw",
    [
        data(),
        data(text="hello"),
        data(text='{"wasm":{"forward":{}}}'),
        data(text='{"forward":null}'),
        b"forward",
        data(amount="0", text=memo()),
        b'{"forward":"x"}',
    ],
)
def test_what_is_not_to_be_forwarded_is_handed_down_as_it_is(chain, incoming, raw):
    packet = incoming(raw)
    assert receive(chain, packet) is chain.below.answer
    assert chain.below.told == [("recv", Received("ics20-1", packet, RELAYER))]
    assert not chain.sent


@pytest.mark.parametrize(("now", "until"), [(-100, 2**64 - 23), (2**64 - 7, 70)])
def test_timeouts_are_counted_as_go_counts_them(chain, incoming, now, until):
    """A block's time is any; in 64 bits without sign it is what Go makes of it."""
    chain.ctx.time_ns = now
    receive(chain, incoming(data(text=memo())))
    assert chain.sent[0].timeout_ns_on_b == until


@pytest.mark.parametrize("spelt", ['"\\u0066orward"', '"forwar\\u0064"'])
def test_the_key_may_be_spelt_with_escapes(chain, incoming, spelt):
    raw = data(text=memo().replace('"forward"', spelt))
    assert b"forward" not in raw
    assert receive(chain, incoming(raw)) is None
    assert len(chain.sent) == 1


def test_data_is_read_as_jsonpb_reads_it(chain, incoming):
    assert receive(chain, incoming(data(text=memo()) + b" and more")) is None
    other_case = data(text=memo()).replace(b'"memo"', b'"Memo"')
    assert receive(chain, incoming(other_case)) is chain.below.answer
    assert len(chain.sent) == 1


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('{"forward":{}}', 2),
        (memo(next=7), 2),
        (memo(retries=256), 2),
        (memo(receiver=""), 1),
        (memo(port="t("), 1),
        (memo(channel="c"), 1),
    ],
)
def test_what_is_asked_for_wrongly_is_refused_before_anything_is_received(chain, incoming, text, code):
    answer = receive(chain, incoming(data(text=text)))
    assert answer == AppAcknowledgement(success=False, data=FAILED % code)
    assert (chain.below.told, chain.sent, chain.waiting()) == ([], [], [])


@pytest.mark.parametrize("below", [None, AppAcknowledgement(success=False, data=FAILED % 5)])
def test_what_was_not_received_is_not_sent_on(chain, incoming, below):
    chain.below.answer = below
    answer = receive(chain, incoming(data(text=memo())))
    assert answer == AppAcknowledgement(success=False, data=acks.failure(ForwardReceiveFailed("why")))
    assert answer.data == FAILED % 1
    assert (chain.sent, chain.waiting()) == ([], [])


@pytest.mark.parametrize("error", [OutOfGas(1), LogicFault("x"), ApplicationFault("x")])
def test_h174_no_verdict_is_no_answer(chain, incoming, outgoing, error):
    """What ends a transaction says nothing of the packet: it stays unreceived, or unsettled."""
    chain.error = error
    with pytest.raises(type(error)):
        receive(chain, incoming(data(text=memo())))
    chain.error = None
    receive(chain, incoming(data(text=memo())))
    chain.error = error
    with pytest.raises(type(error)):
        time_out(chain, outgoing(data("transfer/channel-3/uatom", sender=ACCOUNT)))


@pytest.mark.parametrize("text", [None, "hello", memo()])
def test_h174_what_is_raised_below_is_no_answer(chain, incoming, text):
    """An application answers refusals; what it raises fails the transaction, forwarded or not."""
    chain.below.error = SendDisabled()
    with pytest.raises(SendDisabled):
        receive(chain, incoming(data(text=text)))
    assert (chain.sent, chain.waiting()) == ([], [])


def test_h171_the_account_is_of_a_channel_and_a_sender():
    """Another channel, another sender: another account; nobody can send a packet into somebody else's."""
    seen = {
        intermediate_account(channel_id, sender)
        for channel_id in ("channel-3", "channel-4")
        for sender in (ALICE.text, "mallory")
    }
    assert len(seen) == 4
    recorded = intermediate_account("channel-0", "cosmos15jqe2m03eeykdm6rl38z33aqp67xr0tk797uen")
    assert CODEC.encode(recorded).text == "cosmos1j9ssgzfr737puwa9yc0d8vnz33gf6vkaulhjt2"  # ibc-go's


def test_h171_the_receiver_named_in_the_packet_gets_nothing(chain, incoming):
    victim = CODEC.encode(b"v" * 20).text
    receive(chain, incoming(data(text=memo(), receiver=victim)))
    assert victim.encode() not in chain.below.told[0][1].packet.data
    assert chain.sent[0].sender == ACCOUNT


# -- what becomes of it


@pytest.fixture
def forwarded(chain, incoming):
    """A function: beta forwarded ten of these; returns the packet that came."""

    def forward(denom, **more):
        packet = incoming(data(denom, memo(**more)))
        assert receive(chain, packet) is None
        chain.below.told.clear()
        return packet

    return forward


def onward(denom):
    return data(denom, sender=ACCOUNT, receiver="carol")


FAILURES = [
    lambda chain, packet: acknowledge(chain, packet, FAILED % 7),
    time_out,
]


@pytest.mark.parametrize("fail", FAILURES)
def test_h170_vouchers_made_here_are_burned_again(chain, forwarded, outgoing, fail):
    forwarded("uatom", retries=0)
    escrow(chain, "channel-6", VOUCHER, 15)
    fail(chain, outgoing(onward("transfer/channel-3/uatom")))
    assert (chain.held("channel-6", VOUCHER), chain.bank.supply(chain.ctx, VOUCHER)) == (5, 5)
    assert state.total_escrow(chain.ctx, VOUCHER) == 5
    assert len(chain.answered) == 1


@pytest.mark.parametrize("fail", FAILURES)
def test_h170_coins_of_this_chain_go_back_into_the_escrow_they_came_out_of(chain, forwarded, outgoing, fail):
    forwarded("transfer/channel-1/ubeta", retries=0)
    escrow(chain, "channel-6", "ubeta", 15)
    fail(chain, outgoing(onward("ubeta")))
    assert (chain.held("channel-6", "ubeta"), chain.held("channel-3", "ubeta")) == (5, 10)
    assert state.total_escrow(chain.ctx, "ubeta") == 15
    assert len(chain.answered) == 1


@pytest.mark.parametrize("fail", FAILURES)
def test_h170_vouchers_burned_on_the_way_home_are_made_again_in_escrow(chain, forwarded, outgoing, fail):
    forwarded("transfer/channel-1/transfer/channel-6/ugamma", retries=0)
    name = parse_denom("transfer/channel-6/ugamma").coin_denom
    fail(chain, outgoing(onward("transfer/channel-6/ugamma")))
    assert (chain.held("channel-3", name), chain.bank.supply(chain.ctx, name)) == (10, 10)
    assert state.total_escrow(chain.ctx, name) == 10
    assert len(chain.answered) == 1


def escrow(chain, channel_id, denom, amount):
    address = CODEC.encode(escrow_address("transfer", channel_id))
    chain.bank.mint(chain.ctx, address, coin(denom, amount))
    state.set_total_escrow(chain.ctx, denom, amount)


def test_a_timeout_is_tried_again_after_ics_20_refunded(chain, forwarded, outgoing):
    forwarded("uatom", retries=1, timeout=9, next=json.loads(memo(receiver="dora")))
    late = outgoing(
        data("transfer/channel-3/uatom", memo(receiver="dora", unknown=1), sender=ACCOUNT, receiver="carol")
    )
    time_out(chain, late)
    assert chain.below.told == [("timeout", TimedOut("ics20-1", late, RELAYER))]
    first, again = chain.sent
    assert again == first
    left = {key: decode_in_flight(raw).retries_remaining for key, raw in chain.waiting()}
    assert left == {b"channel-6/transfer/42": 0}
    assert chain.answered == []
    escrow(chain, "channel-6", VOUCHER, 10)
    time_out(chain, outgoing(late.data, 42))
    assert [answer for _, answer in chain.answered] == [FAILED % 1]


def test_a_try_that_is_refused_fails_the_timeout(chain, forwarded, outgoing):
    forwarded("uatom", retries=1)
    chain.error = SendDisabled()
    with pytest.raises(ForwardTransferFailed):
        time_out(chain, outgoing(onward("transfer/channel-3/uatom")))
    assert chain.answered == []


def test_h173_what_is_settled_is_forgotten(chain, forwarded, outgoing):
    """A second answer or timeout of the packet that was sent on is ICS-20's, which knows of none."""
    forwarded("uatom")
    packet = outgoing(onward("transfer/channel-3/uatom"))
    acknowledge(chain, packet, acks.success())
    acknowledge(chain, packet, FAILED % 1)
    time_out(chain, packet)
    assert len(chain.answered) == 1
    assert [what for what, *_ in chain.below.told] == ["ack", "timeout"]
    assert chain.bank.balances == {}


@pytest.mark.parametrize("sequence", [4, 410])
def test_h173_only_the_very_packet_settles_it(chain, forwarded, outgoing, sequence):
    forwarded("uatom")
    acknowledge(chain, outgoing(onward("transfer/channel-3/uatom"), sequence), acks.success())
    assert (chain.answered, len(chain.waiting())) == ([], 1)
    assert chain.below.told[0][0] == "ack"


def test_coins_that_are_not_in_escrow_cannot_be_refunded(chain, forwarded, outgoing):
    forwarded("transfer/channel-1/ubeta", retries=0)
    with pytest.raises(ForwardRefundFailed):
        time_out(chain, outgoing(onward("ubeta")))
    assert chain.answered == []


def test_more_than_was_ever_escrowed_is_a_fault(chain, forwarded, outgoing):
    forwarded("uatom", retries=0)
    escrow(chain, "channel-6", VOUCHER, 10)
    state.set_total_escrow(chain.ctx, VOUCHER, 9)
    with pytest.raises(LogicFault):
        time_out(chain, outgoing(onward("transfer/channel-3/uatom")))


def test_without_its_channel_nothing_is_answered(chain, forwarded, outgoing):
    forwarded("uatom")
    chain.ctx.ibc.delete(channel_path("transfer", "channel-3"))
    with pytest.raises(ForwardRefundFailed):
        acknowledge(chain, outgoing(onward("transfer/channel-3/uatom")), acks.success())
    assert chain.answered == []


def test_an_answer_that_cannot_be_read(chain, outgoing):
    with pytest.raises(UnknownMessage):
        acknowledge(chain, outgoing(onward("uatom")), b"x")
    acknowledge(chain, outgoing(b"no transfer"), b"x")
    assert [what for what, *_ in chain.below.told] == ["ack"]
