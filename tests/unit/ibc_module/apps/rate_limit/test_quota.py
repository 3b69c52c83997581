"""Quotas, windows and what comes back, on one chain in one block after another."""

from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.memory import MemoryStore
from ibc_core.application.classic import Acknowledged, AppAcknowledgement, Received, TimedOut
from ibc_core.application.v2 import AcknowledgedV2, PayloadAnswer, ReceivedV2, SendingV2, TimedOutV2
from ibc_core.errors import InvalidAmount, InvalidIdentifier, InvalidRequest, QuotaExceeded
from ibc_core.height import Height
from ibc_core.host.overlay import BlockContext
from ibc_core.packet import acknowledgement as acks
from ibc_core.packet.types import Packet
from ibc_core.packet_v2.types import SENTINEL, Payload
from ibc_core.transfer.denom import parse_denom
from ibc_core.transfer.encodings import ABI, JSON, PROTOBUF
from ibc_core.wire.table import pack, unpack
from ibc_module.apps.rate_limit import quota, state
from ibc_module.apps.rate_limit.layers import LimitedApp, LimitedAppV2, LimitedSender
from ibc_module.apps.rate_limit.limit import RateLimit
from ibc_module.apps.rate_limit.quota import Moved
from ibc_module.apps.transfer import encodings, packet_data

SECOND = 10**9
CHANNEL, FAR, CLIENT, FAR_CLIENT = "channel-0", "channel-7", "07-tendermint-0", "07-tendermint-3"
REFUSED = acks.failure(InvalidAmount("x"))


def context(height=100, time_s=1_000):
    return BlockContext(
        "chain-1", height, time_s * SECOND, {"ibc": MemoryStore(), "ratelimit": MemoryStore()}
    )


@pytest.fixture
def ctx():
    return context()


def limited(ctx, *, over=CHANNEL, denom="stake", send=10, recv=10, blocks=10, seconds=0):
    limit = RateLimit(over, denom, blocks, seconds, send, recv)
    state.set_limit(ctx, limit)
    return limit


def transfer(amount, denom="stake"):
    return packet_data.encode(packet_data.make(parse_denom(denom), amount, "alice", "bob", ""))


def outgoing(amount, sequence=1, denom="stake"):
    data = amount if isinstance(amount, bytes) else transfer(amount, denom)
    return Packet(sequence, "transfer", CHANNEL, "transfer", FAR, data, Height(1, 9), 0)


def incoming(amount, sequence=1, denom="stake"):
    data = amount if isinstance(amount, bytes) else transfer(amount, denom)
    return Packet(sequence, "transfer", FAR, "transfer", CHANNEL, data, Height(1, 9), 0)


def told(kind, *fields):
    return kind("ics20-1", *fields, None)


class Below:
    """What stands below and above: takes everything, answers with `answer`."""

    def __init__(self):
        self.calls, self.answer = [], AppAcknowledgement(success=True, data=acks.success())
        self.sequence = 0

    def send_packet(self, *arguments):
        self.calls.append("send")
        self.sequence += 1
        return self.sequence

    def __getattr__(self, name):
        def called(*_):
            self.calls.append(name)
            return self.answer if name == "on_recv_packet" else None

        return called


@pytest.fixture
def v1():
    below = Below()
    return SimpleNamespace(below=below, app=LimitedApp(below), sender=LimitedSender(below))


def send(v1, ctx, amount, denom="stake"):
    data = amount if isinstance(amount, bytes) else transfer(amount, denom)
    return v1.sender.send_packet(ctx, "transfer", CHANNEL, Height(1, 9), 0, data)


def entries(ctx):
    return dict(ctx.writes("ratelimit"))


# -- windows


@pytest.mark.parametrize(("height", "window"), [(1, 0), (9, 0), (10, 1), (99, 9)])
def test_windows_of_blocks(height, window):
    assert RateLimit(CHANNEL, "stake", window_blocks=10).window(context(height)) == window


@pytest.mark.parametrize(("time_s", "window"), [(0, 0), (59, 0), (60, 1), (3_600, 60)])
def test_windows_of_seconds(time_s, window):
    assert RateLimit(CHANNEL, "stake", window_seconds=60).window(context(time_s=time_s)) == window


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"channel_or_client_id": "a/b"}, InvalidIdentifier),
        ({"channel_or_client_id": ""}, InvalidIdentifier),
        ({"denom": "!"}, InvalidRequest),
        ({"window_blocks": 0}, InvalidRequest),
        ({"window_seconds": 5}, InvalidRequest),
        ({"max_send": -1}, InvalidRequest),
        ({"max_recv": 2**256}, InvalidRequest),
    ],
)
def test_limits_that_make_no_sense(changes, error):
    with pytest.raises(error):
        RateLimit(CHANNEL, "stake", 10)._replace(**changes).validate()


@pytest.mark.parametrize("most", [None, 0, 1, 2**256 - 1])
def test_a_limit_as_a_message(most):
    limit = RateLimit(CHANNEL, "ibc/" + "A" * 64, 0, 60, most, most)
    limit.validate()
    assert unpack(RateLimit, pack(limit)) == limit


@pytest.mark.parametrize("text", ["01", "-1", "1.0", "x", "9" * 79, "٣"])
def test_amounts_have_one_form(text):
    wire = pack(RateLimit(CHANNEL, "stake", 10))
    wire.max_send = text
    with pytest.raises(InvalidRequest):
        unpack(RateLimit, wire)


# -- IBC v1


def test_what_leaves_is_counted_until_the_window_ends(v1, ctx):
    limited(ctx, send=10)
    send(v1, ctx, 6)
    send(v1, ctx, 4)
    before = entries(ctx)
    with pytest.raises(QuotaExceeded) as caught:
        send(v1, ctx, 1)
    assert (caught.value.amount, caught.value.left) == (1, 0)
    assert caught.value.channel_or_client_id == CHANNEL
    assert entries(ctx) == before
    assert v1.below.calls == ["send", "send"]
    ctx.height = Height(0, 109)
    with pytest.raises(QuotaExceeded):
        send(v1, ctx, 1)
    ctx.height = Height(0, 110)
    send(v1, ctx, 10)


def test_what_comes_in_beyond_the_quota_is_answered_with_an_error(v1, ctx):
    limited(ctx, recv=10, denom=parse_denom(f"transfer/{CHANNEL}/stake").coin_denom)
    assert v1.app.on_recv_packet(ctx, told(Received, incoming(10))).success
    answer = v1.app.on_recv_packet(ctx, told(Received, incoming(1, 2)))
    assert answer == (False, acks.failure(QuotaExceeded("", "", 0, 0)))
    assert v1.below.calls == ["on_recv_packet"]
    assert ctx.events[-1][0] == "transfer_denied"
    assert ("action", "packet_recv") in ctx.events[-1][1]


def test_a_coin_that_comes_home_counts_by_its_own_name(v1, ctx):
    limited(ctx, recv=10)
    assert v1.app.on_recv_packet(
        ctx, Received("ics20-1", incoming(10, denom=f"transfer/{FAR}/stake"), None)
    ).success
    assert not v1.app.on_recv_packet(
        ctx, Received("ics20-1", incoming(1, 2, f"transfer/{FAR}/stake"), None)
    ).success


def test_the_directions_and_the_channels_do_not_share_a_quota(v1, ctx):
    limited(ctx, send=10, recv=0)
    limited(ctx, over="channel-1", send=0)
    send(v1, ctx, 10)
    with pytest.raises(QuotaExceeded):
        v1.sender.send_packet(ctx, "transfer", "channel-1", Height(1, 9), 0, transfer(1))
    send(v1, ctx, 99, "atom")  # another coin: no limit


@pytest.mark.parametrize(
    "come_back",
    [
        lambda app, ctx, packet: app.on_timeout_packet(ctx, told(TimedOut, packet)),
        lambda app, ctx, packet: app.on_acknowledgement_packet(
            ctx, Acknowledged("ics20-1", packet, REFUSED, None)
        ),
    ],
    ids=["timeout", "error"],
)
@pytest.mark.parametrize("later", [False, True])
def test_coins_that_come_back_give_the_quota_back_in_their_window_only(v1, ctx, come_back, later):
    limit = limited(ctx, send=10)
    sequence = send(v1, ctx, 7)
    if later:
        ctx.height = Height(0, 110)
        send(v1, ctx, 5)
    come_back(v1.app, ctx, outgoing(7, sequence))
    assert state.flow(ctx, limit).sent == (5 if later else 0)
    assert not ctx.store("ratelimit").has(b"sent/channel-0/" + sequence.to_bytes(8, "big"))
    before = state.flow(ctx, limit)
    come_back(v1.app, ctx, outgoing(7, sequence))
    assert state.flow(ctx, limit) == before


def test_coins_that_arrived_give_nothing_back(v1, ctx):
    limit = limited(ctx, send=10)
    sequence = send(v1, ctx, 7)
    v1.app.on_acknowledgement_packet(
        ctx, Acknowledged("ics20-1", outgoing(7, sequence), acks.success(), None)
    )
    assert state.flow(ctx, limit).sent == 7
    assert [key for key, value in entries(ctx).items() if key.startswith(b"sent/") and value] == []


def test_a_packet_from_before_the_limit_gives_nothing_back(v1, ctx):
    sequence = send(v1, ctx, 7)
    limit = limited(ctx, send=10)
    send(v1, ctx, 3)
    v1.app.on_timeout_packet(ctx, told(TimedOut, outgoing(7, sequence)))
    assert state.flow(ctx, limit).sent == 3


def test_a_packet_counted_in_other_windows_gives_nothing_back(v1, ctx):
    limited(ctx, send=10, blocks=100)
    sequence = send(v1, ctx, 7)
    limit = limited(ctx, send=10, blocks=0, seconds=1_000)  # both: window 1
    send(v1, ctx, 3)
    v1.app.on_timeout_packet(ctx, told(TimedOut, outgoing(7, sequence)))
    assert state.flow(ctx, limit).sent == 3


@pytest.mark.parametrize(("answer", "left"), [(acks.success(), 7), (REFUSED, 0)])
def test_a_late_answer_settles_what_came_in(v1, ctx, answer, left):
    limit = limited(ctx, denom=parse_denom(f"transfer/{CHANNEL}/stake").coin_denom)
    v1.below.answer = None
    assert v1.app.on_recv_packet(ctx, told(Received, incoming(7))) is None
    assert state.flow(ctx, limit).received == 7
    v1.sender.write_acknowledgement(ctx, incoming(7), answer)
    assert state.flow(ctx, limit).received == left
    assert [key for key, value in entries(ctx).items() if key.startswith(b"waiting/") and value] == []


def test_data_that_is_no_transfer_goes_on_to_who_refuses_it(v1, ctx):
    limited(ctx, send=0, recv=0)
    send(v1, ctx, b"{}")
    v1.app.on_recv_packet(ctx, told(Received, incoming(b"{}")))
    v1.app.on_acknowledgement_packet(ctx, told(Acknowledged, outgoing(b"{}"), b"{}"))
    v1.app.on_timeout_packet(ctx, told(TimedOut, outgoing(b"{}")))
    assert v1.below.calls == ["send", "on_recv_packet", "on_acknowledgement_packet", "on_timeout_packet"]


# -- IBC v2


def payload(amount, denom="stake", encoding=ABI):
    data = packet_data.make(parse_denom(denom), amount, "alice", "bob", "")
    return Payload("transfer", "transfer", "ics20-1", encoding, encodings.encode(data, encoding))


@pytest.fixture
def v2():
    below = Below()
    below.answer = PayloadAnswer(success=True, data=acks.success())
    return SimpleNamespace(below=below, app=LimitedAppV2(below))


@pytest.mark.parametrize("encoding", [JSON, PROTOBUF, ABI])
def test_quotas_of_a_client(v2, ctx, encoding):
    limit = limited(ctx, over=CLIENT, send=10, recv=10)
    v2.app.on_send_packet(ctx, SendingV2(CLIENT, FAR_CLIENT, 1, payload(10, encoding=encoding), None))
    with pytest.raises(QuotaExceeded):
        v2.app.on_send_packet(ctx, SendingV2(CLIENT, FAR_CLIENT, 2, payload(1, encoding=encoding), None))
    home = f"transfer/{FAR_CLIENT}/stake"
    taken = v2.app.on_recv_packet(ctx, ReceivedV2(FAR_CLIENT, CLIENT, 1, payload(10, home, encoding), None))
    refused = v2.app.on_recv_packet(ctx, ReceivedV2(FAR_CLIENT, CLIENT, 2, payload(1, home, encoding), None))
    assert (taken.success, refused) == (True, PayloadAnswer(success=False))
    assert v2.below.calls == ["on_send_packet", "on_recv_packet"]
    assert state.flow(ctx, limit)[1:] == (10, 10)


@pytest.mark.parametrize(("answer", "left"), [(acks.success(), 7), (SENTINEL, 0), (None, 0)])
def test_coins_of_a_client_that_come_back(v2, ctx, answer, left):
    limit = limited(ctx, over=CLIENT)
    sent = payload(7)
    v2.app.on_send_packet(ctx, SendingV2(CLIENT, FAR_CLIENT, 4, sent, None))
    if answer is None:
        v2.app.on_timeout_packet(ctx, TimedOutV2(CLIENT, FAR_CLIENT, 4, sent, None))
    else:
        v2.app.on_acknowledgement_packet(ctx, AcknowledgedV2(CLIENT, FAR_CLIENT, 4, sent, answer, None))
    assert state.flow(ctx, limit).sent == left
    assert [key for key, value in entries(ctx).items() if key.startswith(b"sent/") and value] == []


# -- a model


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("send"), st.integers(1, 8)),
        st.tuples(st.just("recv"), st.integers(1, 8)),
        st.tuples(st.just("back"), st.integers(0, 30)),
        st.tuples(st.just("blocks"), st.integers(1, 7)),
    ),
    max_size=40,
)


@settings(max_examples=80, deadline=None)
@given(steps=STEPS, send_most=st.integers(0, 20), recv_most=st.integers(0, 20), window=st.integers(1, 9))
def test_any_schedule_keeps_to_the_quota(steps, send_most, recv_most, window):
    """Beside a list of what was counted: (window, amount) of what left and has not come back."""
    ctx, height = context(), 100
    limit = limited(ctx, send=send_most, recv=recv_most, blocks=window)
    gone, came, number = {}, {}, 0
    for kind, amount in steps:
        now = height // window
        moved = Moved(CHANNEL, "stake", amount)
        if kind == "blocks":
            height += amount
            ctx.height = Height(0, height)
        elif kind == "back":
            sequence = amount
            size = gone.pop(sequence)[1] if sequence in gone else 1  # else: never sent, or back already
            quota.settle_sent(ctx, CHANNEL, sequence, moved._replace(amount=size), refunded=True)
        else:
            counted, most = (gone, send_most) if kind == "send" else (came, recv_most)
            used = sum(size for when, size in counted.values() if when == now)
            count = quota.count_sent if kind == "send" else quota.count_received
            number += 1
            if used + amount > most:
                with pytest.raises(QuotaExceeded):
                    count(ctx, moved)
                continue
            count(ctx, moved)
            counted[number] = now, amount
            if kind == "send":
                state.note_packet(ctx, state.SENT, limit, number)
        now = height // window
        flow = state.flow(ctx, limit)
        assert flow.sent == sum(size for when, size in gone.values() if when == now)
        assert flow.received == sum(size for when, size in came.values() if when == now)
