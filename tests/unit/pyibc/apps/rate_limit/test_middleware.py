"""The middleware of IBC v1: what is counted, refused, taken off, and left to ICS-20."""

from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyibc.apps.rate_limit import middleware as layers
from pyibc.apps.rate_limit import state
from pyibc.apps.rate_limit.middleware import LimitedApp, LimitedSender
from pyibc.core.application.classic import Acknowledged, AppAcknowledgement, Received, TimedOut
from pyibc.core.errors import (
    ApplicationFault,
    AsyncAckNil,
    DenomIsBlacklisted,
    InvalidSdkRequest,
    InvalidType,
    LogicFault,
    OutOfGas,
    QuotaExceeded,
)
from pyibc.core.height import Height
from pyibc.core.packet import acknowledgement as acks
from tests.sampling import rounds
from tests.unit.pyibc.apps.rate_limit.support import (
    CHANNEL,
    FAR,
    REFUSED,
    Below,
    Raises,
    context,
    data,
    entries,
    flow,
    incoming,
    limited,
    mark,
    marks,
    outgoing,
    voucher,
)


@pytest.fixture
def ctx():
    return context()


@pytest.fixture
def v1():
    below = Below()
    return SimpleNamespace(below=below, app=LimitedApp(below), sender=LimitedSender(below))


def send(v1, ctx, what, denom="stake"):
    raw = what if isinstance(what, bytes) else data(what, denom)
    return v1.sender.send_packet(ctx, "transfer", CHANNEL, Height(1, 9), 0, raw)


def receive(v1, ctx, packet):
    return v1.app.on_recv_packet(ctx, Received("ics20-1", packet, None))


def acknowledge(v1, ctx, packet, answer):
    v1.app.on_acknowledgement_packet(ctx, Acknowledged("ics20-1", packet, answer, None))


def time_out(v1, ctx, packet):
    v1.app.on_timeout_packet(ctx, TimedOut("ics20-1", packet, None))


# -- out


def test_what_leaves_is_counted_and_marked(v1, ctx):
    limited(ctx, send=10)
    assert (send(v1, ctx, 6), send(v1, ctx, 4)) == (1, 2)
    assert flow(ctx) == (0, 10)
    assert marks(ctx) == [mark(b"\0", CHANNEL, "stake", 1), mark(b"\0", CHANNEL, "stake", 2)]


@pytest.mark.parametrize(
    ("denom", "counted"),
    [
        ("transfer/channel-9/atom", voucher("atom", "channel-9")),
        ("ibc/AB", "ibc/AB"),
        ("ibc/channel-9/atom", "ibc/channel-9/atom"),  # by its first letters, though it reads as a hop
        ("gamm/pool/1", "gamm/pool/1"),
    ],
)
def test_the_names_that_coins_are_counted_by_as_they_leave(v1, ctx, denom, counted):
    limited(ctx, denom=counted)
    send(v1, ctx, 3, denom)
    assert flow(ctx, counted) == (0, 3)


@pytest.mark.parametrize(
    ("raw", "error"),
    [(b"{}", InvalidSdkRequest), (b"[]", InvalidType), (b'{"amount":"x"}', InvalidSdkRequest)],
)
def test_nothing_but_transfers_leaves(v1, ctx, raw, error):
    with pytest.raises(error):
        send(v1, ctx, raw)
    assert v1.below.calls == []


# -- in


@pytest.mark.parametrize(
    ("denom", "counted"),
    [
        (f"transfer/{FAR}/stake", "stake"),  # home
        (f"transfer/{FAR}/transfer/channel-9/atom", voucher("atom", "channel-9")),
        ("stake", voucher()),
        ("transfer/channel-9/atom", voucher("transfer/channel-9/atom")),
        ("ibc/AB", voucher("ibc/AB")),
    ],
)
def test_the_names_that_coins_are_counted_by_as_they_come_in(v1, ctx, denom, counted):
    limited(ctx, denom=counted)
    receive(v1, ctx, incoming(3, denom=denom))
    assert flow(ctx, counted) == (3, 0)


def test_what_ics_20_refuses_later_is_still_counted_first(v1, ctx):
    """Zero coins of a blacklisted denomination are refused by the list, not for their amount."""
    state.add_to_blacklist(ctx, voucher())
    for raw in (b'{"denom":"stake","amount":"0"}', b'{"DENOM":"stake","amount":"-7","sender":null}'):
        assert receive(v1, ctx, incoming(raw)).data == acks.failure(DenomIsBlacklisted(""))
    assert v1.below.calls == []


@pytest.mark.parametrize("denom", [f"transfer/{FAR}/", f"transfer/{FAR}/a\\u0000b"])
def test_h181_a_name_that_no_key_can_have_leaves_the_answer_to_ics_20(v1, ctx, denom):
    """An error here would leave the packet without an answer for ever."""
    v1.below.answer = AppAcknowledgement(success=False, data=REFUSED)
    raw = b'{"denom":"%b","amount":"1","sender":"a","receiver":"b"}' % denom.encode()
    assert receive(v1, ctx, incoming(raw)).data == REFUSED
    assert entries(ctx) == {}


def test_h180_a_flow_beyond_256_bits_leaves_the_packet_unreceived(v1, ctx):
    limited(ctx, denom=voucher(), value=0)
    receive(v1, ctx, incoming(2**256 - 1))
    with pytest.raises(LogicFault):
        receive(v1, ctx, incoming(1, 2))


# -- lists


def test_a_blacklisted_coin_goes_nowhere_with_or_without_a_limit(v1, ctx):
    state.add_to_blacklist(ctx, "stake")
    with pytest.raises(DenomIsBlacklisted):
        send(v1, ctx, 1)
    assert dict(ctx.take_events()[-1][1])["reason"] == "blacklisted_denom"
    assert receive(v1, ctx, incoming(1, denom=f"transfer/{FAR}/stake")).data == acks.failure(
        DenomIsBlacklisted("")
    )
    state.remove_from_blacklist(ctx, "stake")
    assert send(v1, ctx, 1) == 1


# -- back


BACK = pytest.mark.parametrize(
    "come_back",
    [time_out, lambda v1, ctx, packet: acknowledge(v1, ctx, packet, REFUSED)],
    ids=["timeout", "error"],
)


def test_coins_that_arrived_stay_counted(v1, ctx):
    limited(ctx)
    sequence = send(v1, ctx, 7)
    acknowledge(v1, ctx, outgoing(7, sequence), acks.success())
    assert (flow(ctx), marks(ctx)) == ((0, 7), [])


@pytest.mark.parametrize("answer", [b"", b"x", b"{}", b'{"result":""}', b'{"other":1}'])
def test_h182_an_acknowledgement_that_says_nothing_is_for_ics_20_to_judge(v1, ctx, answer):
    limited(ctx)
    sequence = send(v1, ctx, 7)
    before, v1.below.calls = entries(ctx), []
    acknowledge(v1, ctx, outgoing(7, sequence), answer)
    assert entries(ctx) == before
    assert v1.below.calls == ["on_acknowledgement_packet"]


@pytest.mark.parametrize("raw", [b"{}", b"[]", b"\xff"])
def test_h182_a_packet_that_is_no_transfer_is_for_ics_20_to_judge(v1, ctx, raw):
    acknowledge(v1, ctx, outgoing(raw), acks.success())
    time_out(v1, ctx, outgoing(raw))
    assert v1.below.calls == ["on_acknowledgement_packet", "on_timeout_packet"]
    assert entries(ctx) == {}


@pytest.mark.parametrize("come_back", [time_out, lambda *given: acknowledge(*given, REFUSED)])
def test_h183_running_out_of_gas_is_never_left_to_ics_20(v1, ctx, come_back):
    limited(ctx)
    sequence = send(v1, ctx, 7)
    v1.below.calls = []
    ctx.gas.reset(10)
    with pytest.raises(OutOfGas):
        come_back(v1, ctx, outgoing(7, sequence))
    assert v1.below.calls == []


@BACK
def test_h183_what_is_no_verdict_leaves_the_limits(v1, ctx, come_back, monkeypatch):
    """The host's bank, which the limits ask for the supply, may have a fault of its own."""
    for error in (LogicFault("broken"), ApplicationFault("a bank")):
        monkeypatch.setattr(layers.flow, "finish_sent", Raises(error))
        with pytest.raises(type(error)):
            come_back(v1, ctx, outgoing(7, 1))
    assert v1.below.calls == []


# -- answers later


def test_a_packet_that_is_answered_later_stays_marked(v1, ctx):
    limited(ctx, denom=voucher())
    v1.below.answer = None
    assert receive(v1, ctx, incoming(7)) is None
    assert marks(ctx) == [mark(b"\1", CHANNEL, voucher(), 1)]


@pytest.mark.parametrize(("answer", "left"), [(acks.success(), 7), (REFUSED, 0), (b"what", 0)])
def test_a_late_answer_settles_what_came_in(v1, ctx, answer, left):
    limited(ctx, denom=voucher())
    v1.below.answer = None
    receive(v1, ctx, incoming(7))
    v1.sender.write_acknowledgement(ctx, incoming(7), answer)
    assert (flow(ctx, voucher()), marks(ctx)) == ((left, 0), [])
    assert v1.below.calls[-1] == "write_acknowledgement"


def test_no_answer_is_none(v1, ctx):
    with pytest.raises(AsyncAckNil):
        v1.sender.write_acknowledgement(ctx, incoming(7), b"")
    assert v1.below.calls == []


def test_a_late_answer_to_what_is_no_transfer_goes_on(v1, ctx):
    v1.sender.write_acknowledgement(ctx, incoming(b"{}"), acks.success())
    v1.sender.write_acknowledgement(ctx, incoming(b"{}"), REFUSED)
    assert v1.below.calls == ["write_acknowledgement"] * 2
    assert entries(ctx) == {}


# -- a model


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("send"), st.integers(1, 8)),
        st.tuples(st.just("recv"), st.integers(1, 8)),
        st.tuples(st.just("back"), st.integers(1, 12)),
        st.tuples(st.just("arrived"), st.integers(1, 12)),
        st.tuples(st.just("window"), st.just(0)),
    ),
    max_size=40,
)


@settings(max_examples=rounds(37, 150), deadline=None)
@given(steps=STEPS, most=st.tuples(st.integers(0, 9), st.integers(0, 9)))
def test_any_schedule_keeps_to_the_quota(steps, most):
    """Beside a list of what was counted; another coin and another channel are never touched."""
    ctx, below = context(), Below()
    v1 = SimpleNamespace(below=below, app=LimitedApp(below), sender=LimitedSender(below))
    limit = limited(ctx, send=most[0], recv=most[1])
    others = [limited(ctx, denom="atom"), limited(ctx, over="channel-1")]
    window, out, sizes, came, number = 0, {}, {}, 0, 0
    for kind, amount in steps:
        net = sum(size for when, size in out.values() if when == window) - came
        if kind == "window":
            window, came = window + 1, 0
            state.set_limit(ctx, limit)
            state.remove_pending_packets(ctx, state.packets_prefix(state.SENT, CHANNEL, "stake"))
        elif kind == "send" and net + amount > most[0]:
            with pytest.raises(QuotaExceeded):
                send(v1, ctx, amount)
        elif kind == "send":
            sequence = send(v1, ctx, amount)
            out[sequence], sizes[sequence] = (window, amount), amount
        elif kind == "recv":
            number += 1
            fits = amount - net <= most[1]
            answer = receive(v1, ctx, incoming(amount, number, f"transfer/{FAR}/stake"))
            assert answer.success is fits
            came += amount if fits else 0
        elif amount in sizes:  # each packet comes to one end, once
            packet = outgoing(sizes.pop(amount), amount)
            if kind == "back":
                time_out(v1, ctx, packet)
                del out[amount]
            else:
                acknowledge(v1, ctx, packet, acks.success())
        assert flow(ctx) == (came, sum(size for when, size in out.values() if when == window))
    assert [state.limit(ctx, each.denom, each.channel_or_client_id) for each in others] == others
