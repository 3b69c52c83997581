"""Any byte of any queue message changed, any garbage: refused by an error of the tree; nothing changes."""

from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conformance.kit.encode import to_any
from conformance.kit.known import QUEUE
from conformance.kit.outcomes import must
from conformance.kit.queue.pair import QueuePair
from conformance.kit.staged_block import StagedBlock
from pyibc.codec.anys import AnyMessage
from pyibc.core.errors import IbcError
from pyibc.core.height import Height
from pyibc.queues.messages import MsgRegister
from pyibc.queues.types import End
from tests.sampling import SEED, rounds

PROVEN = ("MsgReceive", "MsgHandleReceipt", "MsgTimeout", "MsgAdvance")


@pytest.fixture(scope="module")
def good():
    """Chain and good message of every type, in both shapes."""
    pair = QueuePair.registered(channels=1)
    found = []
    for path in (pair.path, pair.channel_paths[0]):
        for number in range(4):
            must(pair.send(path, b"%d" % number))
        must(pair.send(path.back(), b"late", max_height=Height(1, 1)))
        pair.sync()
        must(pair.b.submit(pair.receive(path, [0, 1])))
        pair.sync()
        must(pair.a.submit(pair.handle(path, [0])))
    pair.sync()
    for path in (pair.path, pair.channel_paths[0]):
        found += [
            (pair.a, pair.send_message(path, b"data", max_height=Height(1, 99), max_time_ns=10**18)),
            (pair.b, pair.receive(path, [2, 3])),
            (pair.a, pair.handle(path, [1])),
            (pair.b, pair.timeout(path.back(), 0)),
            (pair.b, pair.advance(path)),
        ]
    ends = End("alpha-1", "connection-5", "channel-5"), End("beta-1", "connection-6", "channel-6")
    found.append((pair.a, MsgRegister(pair.a.client_id, *ends, b"queue", pair.a.relayer.signer)))
    yield [(side, to_any(message)) for side, message in found]
    pair.close()


def test_every_type_is_there_and_accepted(good):
    assert {message.type_url for _, message in good} == set(QUEUE)
    for side, message in good:
        assert StagedBlock(side.chain).attempt(message).error is None


def check(side, message):
    """Runs a message; whatever leaves here that is no IbcError would have stopped the node."""
    attempt = StagedBlock(side.chain).attempt(message)
    if attempt.error is not None:
        assert isinstance(attempt.error, IbcError)
        assert (attempt.writes, attempt.events) == ({}, ())
    return attempt


@pytest.mark.parametrize("kind", PROVEN)
def test_no_byte_of_a_proven_message_can_be_changed(good, kind):
    """But for the signer's, which a transaction's signature covers, and a `to` that stops on the way."""
    chance = Random(SEED)
    for side, message in good:
        if not message.type_url.endswith(kind):
            continue
        wanted = StagedBlock(side.chain).attempt(message)
        places = range(len(message.value))
        for at in chance.sample(places, min(rounds(30, 1000), len(places))):
            spoilt = bytearray(message.value)
            spoilt[at] ^= 1 << chance.randrange(8)
            attempt = check(side, AnyMessage(message.type_url, bytes(spoilt)))
            if attempt.error is None:
                assert attempt.writes == wanted.writes, (kind, at)


@settings(
    deadline=None, max_examples=rounds(50, 150), suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.data())
def test_any_change_of_any_message(good, data):
    side, message = data.draw(st.sampled_from(good))
    raw = message.value
    start = data.draw(st.integers(0, len(raw)))
    end = data.draw(st.integers(start, min(len(raw), start + 9)))
    check(side, AnyMessage(message.type_url, raw[:start] + data.draw(st.binary(max_size=9)) + raw[end:]))


@settings(
    deadline=None, max_examples=rounds(50, 150), suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.sampled_from(sorted(QUEUE)), st.binary(max_size=200))
def test_garbage(good, kind, raw):
    check(good[0][0], AnyMessage(kind, raw))


@settings(
    deadline=None, max_examples=rounds(20, 60), suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.data())
def test_a_message_cut_short(good, data):
    side, message = data.draw(st.sampled_from(good))
    cut = data.draw(st.integers(0, len(message.value) - 1))
    check(side, AnyMessage(message.type_url, message.value[:cut]))
