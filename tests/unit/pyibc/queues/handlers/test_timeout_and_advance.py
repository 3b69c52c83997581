"""Timeouts by proven absence, and the way on afterwards: advance."""

from dataclasses import replace
from itertools import pairwise

import pytest

from conformance.kit.mutate_state import freeze_client
from conformance.kit.outcomes import must
from conformance.kit.queue.pair import EndPath, QueuePair
from conformance.kit.refusals import expect_refusal
from conformance.kit.scripted_app import ScriptedRefusal
from conformance.kit.staged_block import StagedBlock
from pyibc.core.errors import ClientNotActive, InvalidRequest
from pyibc.core.height import Height
from pyibc.queues.errors import (
    AdvanceBelowHead,
    InvalidQueueProof,
    MessageTimeoutNotYetReached,
    MustSubmitHeader,
    NoSuchPacket,
    OutOfOrder,
    UnknownPacketType,
    UnregisteredSender,
)
from pyibc.queues.packet import TIMED_OUT
from pyibc.queues.types import End, element_key
from pyibc.testing.pair import SECOND


def unknown(height):
    return height._replace(revision_height=height.revision_height - 1)


@pytest.fixture
def back(path):
    """The other direction: 0 and 1 have expired on A, 2 never will; A received none."""
    return path.back()


# -- timeout


def test_one_absence_takes_all_expired_packets_back(pair, back, at):
    attempt = at.b.attempt(pair.timeout(back, 0, 2))
    assert attempt.error is None
    calls = pair.b.mock.app.calls
    assert [(name, arguments[0].data, *arguments[1:]) for name, arguments in calls] == [
        ("on_rollback", b"timed", TIMED_OUT.codespace, TIMED_OUT.code),
        ("on_rollback", b"high", TIMED_OUT.codespace, TIMED_OUT.code),
    ]
    assert [kind for kind, _ in attempt.events] == ["queue_timeout"] * 2
    assert dict(attempt.events[1][1])["sequence"] == "1"
    queue = back.outgoing
    assert attempt.writes["queue", element_key(queue, 0)] is None
    assert attempt.writes["queue", element_key(queue, 1)] is None
    assert pair.b.queues.queues.head(at.b.ctx, queue) == 2


TIMEOUT_FAULTS = {
    "sender": (UnregisteredSender, lambda m: {"destination": m.destination._replace(chain="gamma-1")}),
    "sequence": (OutOfOrder, lambda m: {"sequence": 1}),
    "count": (NoSuchPacket, lambda m: {"count": 4}),
    "header": (MustSubmitHeader, lambda m: {"proof_height": unknown(m.proof_height)}),
    "expired": (MessageTimeoutNotYetReached, lambda m: {"count": 3}),
    "proof": (InvalidQueueProof, lambda m: {"proof": b"\x0a\x00"}),
}


@pytest.mark.parametrize("fault", TIMEOUT_FAULTS)
def test_a_fault_is_told_by_its_name(pair, back, at, fault):
    error, change = TIMEOUT_FAULTS[fault]
    good = pair.timeout(back, 0)
    expect_refusal(at.b, replace(good, **change(good)), error)
    assert pair.b.mock.app.calls == []


@pytest.mark.parametrize(("first", "second"), [*pairwise(TIMEOUT_FAULTS)])
def test_of_two_faults_the_first_is_told(pair, back, at, first, second):
    good = pair.timeout(back, 0)
    changes = TIMEOUT_FAULTS[second][1](good) | TIMEOUT_FAULTS[first][1](good)
    expect_refusal(at.b, replace(good, **changes), TIMEOUT_FAULTS[first][0])


def test_a_packet_without_timeout_is_never_taken_back(pair, back, at):
    at.b.run(pair.timeout(back, 0, 2))
    expect_refusal(at.b, replace(pair.timeout(back, 0), sequence=2), MessageTimeoutNotYetReached, sequence=2)


def test_a_packet_is_taken_back_once(pair, back, at):
    at.b.run(pair.timeout(back, 0))
    expect_refusal(at.b, pair.timeout(back, 0), OutOfOrder, expected=1, got=0)
    assert at.b.attempt(pair.timeout(back, 1)).error is None


@pytest.mark.parametrize("count", [0, 2**63, 2**64 - 1])
def test_impossible_counts(pair, back, at, count):
    message = replace(pair.timeout(back, 0), count=count)
    expect_refusal(at.b, message, NoSuchPacket if count else InvalidRequest)


def test_what_was_received_cannot_be_taken_back(pair, path, at):
    """Its receipt is there: the proof that it is not cannot be made, and its presence proves no absence."""
    expect_refusal(at.a, pair.timeout(path, 1), MessageTimeoutNotYetReached)
    at.a.run(pair.handle(path, [1, 2]))
    message = pair.timeout(path, 3)  # expired, and answered so: a receipt stands there
    expect_refusal(at.a, message, InvalidQueueProof)
    absent = replace(message, proof=pair.timeout(path, 4).proof)  # 4 was not received
    expect_refusal(at.a, absent, InvalidQueueProof)


def test_the_other_clock_decides_and_never_ours(pair, back):
    pair.clock.advance(SECOND)
    message = pair.timeout(back, 0, 3)
    far = StagedBlock(pair.b.chain, pair.b.chain.tip().time_ns + 10**6 * SECOND)
    expect_refusal(far, message, MessageTimeoutNotYetReached, sequence=2)


def test_a_frozen_client_proves_no_timeout(pair, back, at):
    freeze_client(at.b.ctx, pair.b.client_id)
    expect_refusal(at.b, pair.timeout(back, 0), ClientNotActive)


def test_an_application_that_refuses_keeps_its_packets(pair, back, at):
    def refuse(ctx, packet, *_):
        ctx.store("scripted_queue").set(b"trace", b"x")
        if packet.sequence == 1:
            raise ScriptedRefusal("on_rollback")

    pair.b.mock.app.script["on_rollback"] = refuse
    expect_refusal(at.b, pair.timeout(back, 0, 2), ScriptedRefusal)
    assert at.b.attempt(pair.timeout(back, 0, 1)).error is None


def test_a_packet_whose_application_is_gone_waits(pair, back, at):
    apps = pair.b.queues.apps
    app = apps.pop("mock")
    try:
        expect_refusal(at.b, pair.timeout(back, 0), UnknownPacketType)
    finally:
        apps["mock"] = app


# -- advance


def test_handled_receipts_go(path):
    """[IBC-packets 3.2]: one further method, advance, to facilitate efficient queue cleanup."""
    ours = Handled(path)
    attempt = StagedBlock(ours.pair.b.chain).attempt(ours.pair.advance(ours.path))
    assert attempt.error is None
    assert [key for (_, key), value in attempt.writes.items() if value is None] == [
        element_key(ours.queue, index) for index in range(3)
    ]
    assert [(kind, dict(pairs)) for kind, pairs in attempt.events] == [
        (
            "queue_advance",
            {
                "source": ours.path.a.text,
                "destination": ours.path.b.text,
                "head_before": "0",
                "head": "3",
                "client_id": ours.pair.b.client_id,
            },
        )
    ]
    ours.pair.close()


class Handled:
    """Three packets went round and A is done with them; B's receipts are there still."""

    def __init__(self, path):
        self.pair = QueuePair.registered(channels=1)
        self.path = self.pair.channel_paths[0] if path.a.is_channel else self.pair.path
        self.queue = self.path.incoming
        for _ in range(3):
            must(self.pair.send(self.path))
        self.pair.sync()
        must(self.pair.b.submit(self.pair.receive(self.path, range(3))))
        self.pair.sync()
        must(self.pair.a.submit(self.pair.handle(self.path, range(3))))
        self.pair.sync()


@pytest.fixture(scope="module")
def handled():
    made = Handled(EndPath(End("alpha-1"), End("beta-1")))
    yield made
    made.pair.close()


def test_cleaning_can_stop_on_the_way(handled):
    stage = StagedBlock(handled.pair.b.chain)
    stage.run(handled.pair.advance(handled.path, to=2))
    assert handled.pair.b.queues.queues.head(stage.ctx, handled.queue) == 2
    expect_refusal(stage, handled.pair.advance(handled.path, to=2), AdvanceBelowHead, head=2, to=2)
    expect_refusal(stage, handled.pair.advance(handled.path, to=1), AdvanceBelowHead, head=2, to=1)
    stage.run(handled.pair.advance(handled.path))
    assert handled.pair.b.queues.queues.head(stage.ctx, handled.queue) == 3


ADVANCE_FAULTS = {
    "sender": (UnregisteredSender, lambda m: {"source": End("gamma-1")}),
    "below": (AdvanceBelowHead, lambda m: {"to": 0}),
    "header": (MustSubmitHeader, lambda m: {"proof_height": unknown(m.proof_height)}),
    "proof": (InvalidQueueProof, lambda m: {"proof": b"\x0a\x00"}),
}


@pytest.mark.parametrize("fault", ADVANCE_FAULTS)
def test_a_fault_of_advance_is_told_by_its_name(handled, fault):
    error, change = ADVANCE_FAULTS[fault]
    good = handled.pair.advance(handled.path)
    expect_refusal(StagedBlock(handled.pair.b.chain), replace(good, **change(good)), error)


@pytest.mark.parametrize(("first", "second"), [*pairwise(ADVANCE_FAULTS)])
def test_of_two_faults_of_advance_the_first_is_told(handled, first, second):
    good = handled.pair.advance(handled.path)
    changes = ADVANCE_FAULTS[second][1](good) | ADVANCE_FAULTS[first][1](good)
    expect_refusal(StagedBlock(handled.pair.b.chain), replace(good, **changes), ADVANCE_FAULTS[first][0])


def test_another_head_than_the_proven_one_is_refused(handled):
    good = handled.pair.advance(handled.path)
    stage = StagedBlock(handled.pair.b.chain)
    for head in (2, 4, 2**64 - 1):
        expect_refusal(stage, replace(good, head=head, to=head), InvalidQueueProof)
    expect_refusal(stage, replace(good, to=4), InvalidRequest)


def test_after_a_timeout_the_queue_goes_on():
    """Packets that A took back are passed over; what B never received it never will."""
    pair = QueuePair.registered()
    path, queue = pair.path, pair.path.incoming
    must(pair.send(path, b"lost", max_height=Height(1, 1)))
    must(pair.send(path, b"lost too", max_time_ns=1))
    must(pair.send(path, b"kept"))
    pair.sync()
    stale = pair.receive(path, [0])
    must(pair.a.submit(pair.timeout(path, 0, 2)))
    pair.sync()
    expect_refusal(StagedBlock(pair.b.chain), pair.receive(path, [2]), OutOfOrder, expected=0, got=2)
    must(pair.b.submit(pair.advance(path)))
    assert pair.b.bounds(queue) == (2, 2)
    expect_refusal(StagedBlock(pair.b.chain), stale, OutOfOrder, expected=2, got=0)
    must(pair.b.submit(pair.receive(path, [2])))
    pair.relay(path)
    assert [(name, packet.data) for name, (packet, *_) in pair.a.mock.app.calls if name != "on_send"] == [
        ("on_rollback", b"lost"),
        ("on_rollback", b"lost too"),
        ("on_commit", b"kept"),
    ]
    pair.close()


def test_a_late_packet_and_its_timeout_receipt_agree():
    """B answers TimeoutError to an old proof of what A took back; the receipt finds nothing at A."""
    pair = QueuePair.registered()
    path = pair.path
    must(pair.send(path, b"lost", max_height=Height(1, 1)))
    pair.sync()
    stale = pair.receive(path, [0])
    must(pair.a.submit(pair.timeout(path, 0)))
    must(pair.b.submit(stale))
    pair.sync()
    expect_refusal(StagedBlock(pair.a.chain), pair.handle(path, [0]), OutOfOrder, expected=1, got=0)
    assert pair.b.mock.app.calls == []
    must(pair.b.submit(pair.advance(path)))
    assert pair.b.bounds(path.incoming) == (1, 1)
    pair.close()
