"""The middleware of IBC v2: the same counts over clients; a payload that is no transfer's is refused."""

from types import SimpleNamespace

import pytest

from pyibc.apps.rate_limit import middleware as layers_v2
from pyibc.apps.rate_limit.middleware import LimitedAppV2, LimitedSenderV2
from pyibc.apps.transfer import packet_data
from pyibc.apps.transfer.denom import parse_denom
from pyibc.core.application.v2 import AcknowledgedV2, PayloadAnswer, ReceivedV2, SendingV2, TimedOutV2
from pyibc.core.errors import (
    ApplicationFault,
    AsyncPacketNotFound,
    InvalidAcknowledgement,
    InvalidAmount,
    InvalidRateLimitPacket,
    InvalidType,
    LogicFault,
    OutOfGas,
    QuotaExceeded,
    UnknownMessage,
)
from pyibc.core.packet import acknowledgement as acks
from pyibc.core.packet_v2 import types
from pyibc.core.packet_v2.types import ABI, JSON, PROTOBUF, SENTINEL, PacketV2, Payload
from pyibc.core.paths import async_packet_path
from tests.unit.pyibc.apps.rate_limit.support import (
    CLIENT,
    FAR_CLIENT,
    Below,
    Raises,
    context,
    entries,
    flow,
    limited,
    mark,
    marks,
)

HOME = f"transfer/{FAR_CLIENT}/stake"


@pytest.fixture
def ctx():
    return context()


@pytest.fixture
def v2():
    below = Below()
    below.answer = PayloadAnswer(success=True, data=acks.success())
    return SimpleNamespace(below=below, app=LimitedAppV2(below), sender=LimitedSenderV2(below))


def payload(amount, denom="stake", encoding=ABI, version="ics20-1"):
    made = packet_data.make(parse_denom(denom), amount, "alice", "bob", "")
    return Payload("transfer", "transfer", version, encoding, packet_data.encode_payload(made, encoding))


def send(v2, ctx, sequence, what):
    v2.app.on_send_packet(ctx, SendingV2(CLIENT, FAR_CLIENT, sequence, what, None))


def receive(v2, ctx, sequence, what):
    return v2.app.on_recv_packet(ctx, ReceivedV2(FAR_CLIENT, CLIENT, sequence, what, None))


def acknowledge(v2, ctx, sequence, what, answer):
    v2.app.on_acknowledgement_packet(ctx, AcknowledgedV2(CLIENT, FAR_CLIENT, sequence, what, answer, None))


def time_out(v2, ctx, sequence, what):
    v2.app.on_timeout_packet(ctx, TimedOutV2(CLIENT, FAR_CLIENT, sequence, what, None))


@pytest.mark.parametrize("encoding", [JSON, PROTOBUF, ABI])
def test_quotas_of_a_client(v2, ctx, encoding):
    limited(ctx, over=CLIENT, send=10, recv=5)
    send(v2, ctx, 1, payload(10, encoding=encoding))
    assert marks(ctx) == [mark(b"\0", CLIENT, "stake", 1)]
    with pytest.raises(QuotaExceeded):
        send(v2, ctx, 2, payload(1, encoding=encoding))
    assert receive(v2, ctx, 1, payload(15, HOME, encoding)).success
    refused = receive(v2, ctx, 2, payload(1, HOME, encoding))
    assert refused == PayloadAnswer(success=False)
    assert [name for name, _ in ctx.take_events()] == ["transfer_denied"] * 2
    assert v2.below.calls == ["on_send_packet", "on_recv_packet"]
    assert flow(ctx, over=CLIENT) == (15, 10)


@pytest.mark.parametrize(("answer", "left"), [(acks.success(), 7), (SENTINEL, 0), (None, 0)])
def test_coins_of_a_client_that_come_back(v2, ctx, answer, left):
    limited(ctx, over=CLIENT)
    send(v2, ctx, 4, payload(7))
    if answer is None:
        time_out(v2, ctx, 4, payload(7))
    else:
        acknowledge(v2, ctx, 4, payload(7), answer)
    assert (flow(ctx, over=CLIENT), marks(ctx)) == ((0, left), [])


@pytest.mark.parametrize(
    ("what", "error"),
    [
        (payload(1, version="ics20-2"), InvalidRateLimitPacket),
        (Payload("transfer", "transfer", "ics20-1", "text", b"{}"), InvalidType),
        (Payload("transfer", "transfer", "ics20-1", JSON, b'{"amount":"0"}'), InvalidAmount),
    ],
)
def test_what_is_no_transfer_is_refused_here(v2, ctx, what, error):
    for step in (send, time_out, lambda *given: acknowledge(*given, acks.success())):
        with pytest.raises(error):
            step(v2, ctx, 1, what)
    assert receive(v2, ctx, 1, what) == PayloadAnswer(success=False)
    assert v2.below.calls == []
    assert entries(ctx) == {}


@pytest.mark.parametrize(
    ("answer", "error"),
    [(b"", UnknownMessage), (b"x", UnknownMessage), (b"{}", InvalidAcknowledgement)],
)
def test_h182_an_acknowledgement_that_says_nothing_fails_its_message(v2, ctx, answer, error):
    """Over clients ibc-go returns what it only logs over channels."""
    limited(ctx, over=CLIENT)
    send(v2, ctx, 1, payload(7))
    before, v2.below.calls = entries(ctx), []
    with pytest.raises(error):
        acknowledge(v2, ctx, 1, payload(7), answer)
    assert (entries(ctx), v2.below.calls) == (before, [])


@pytest.mark.parametrize("base", [f"transfer/{FAR_CLIENT}/a\0b"])
def test_h181_a_name_that_no_key_can_have_leaves_the_answer_to_ics_20(v2, ctx, base):
    v2.below.answer = PayloadAnswer(success=False)
    assert receive(v2, ctx, 1, payload(1, base)) == PayloadAnswer(success=False)
    assert v2.below.calls == ["on_recv_packet"]
    assert entries(ctx) == {}


def test_h183_neither_gas_nor_a_broken_invariant_is_an_answer(v2, ctx):
    limited(ctx, over=CLIENT, value=0)
    receive(v2, ctx, 1, payload(2**256 - 1, HOME))
    with pytest.raises(LogicFault):
        receive(v2, ctx, 2, payload(1, HOME))
    ctx.gas.reset(10)
    with pytest.raises(OutOfGas):
        receive(v2, ctx, 3, payload(1, HOME))


def test_h183_what_is_no_verdict_is_no_answer(v2, ctx, monkeypatch):
    monkeypatch.setattr(layers_v2.flow, "count_received", Raises(ApplicationFault("a bank")))
    with pytest.raises(ApplicationFault):
        receive(v2, ctx, 1, payload(1, HOME))
    assert (v2.below.calls, entries(ctx)) == ([], {})


# -- answers later


def waiting(ctx, *payloads):
    packet = PacketV2(9, FAR_CLIENT, CLIENT, 0, payloads)
    ctx.ibc.set(async_packet_path(CLIENT, 9), types.encode_packet(packet))


@pytest.mark.parametrize(("answer", "left"), [(acks.success(), 7), (SENTINEL, 0)])
def test_a_late_answer_settles_what_came_in(v2, ctx, answer, left):
    limited(ctx, over=CLIENT)
    waiting(ctx, payload(7, HOME))
    v2.below.answer = None
    assert receive(v2, ctx, 9, payload(7, HOME)) is None
    assert marks(ctx) == [mark(b"\1", CLIENT, "stake", 9)]
    v2.sender.write_acknowledgement(ctx, CLIENT, 9, (answer,))
    assert (flow(ctx, over=CLIENT), marks(ctx)) == ((left, 0), [])
    assert v2.below.calls[-1] == "write_acknowledgement"


def test_an_answer_to_several_payloads_goes_on(v2, ctx):
    limited(ctx, over=CLIENT)
    waiting(ctx, payload(7, HOME), payload(7, HOME))
    v2.below.answer = None
    receive(v2, ctx, 9, payload(7, HOME))
    before, v2.below.calls = entries(ctx), []
    v2.sender.write_acknowledgement(ctx, CLIENT, 9, (SENTINEL,))
    v2.sender.write_acknowledgement(ctx, CLIENT, 9, (acks.success(), acks.success()))
    assert v2.below.calls == ["write_acknowledgement"] * 2
    assert entries(ctx) == before


def test_an_answer_that_nobody_waits_for(v2, ctx):
    with pytest.raises(AsyncPacketNotFound):
        v2.sender.write_acknowledgement(ctx, CLIENT, 9, (SENTINEL,))
    assert v2.below.calls == []


def test_a_late_answer_to_what_is_no_transfer(v2, ctx):
    waiting(ctx, payload(7, version="ics20-2"))
    with pytest.raises(InvalidRateLimitPacket):
        v2.sender.write_acknowledgement(ctx, CLIENT, 9, (acks.success(),))
    assert v2.below.calls == []
