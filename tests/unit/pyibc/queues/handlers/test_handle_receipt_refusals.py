"""Every "fail with" of handle_receipt, in the order of [IBC-packets], and a chain that writes false ones."""

from dataclasses import replace
from itertools import pairwise

import pytest

from conformance.kit.mutate_state import freeze_client
from conformance.kit.outcomes import must
from conformance.kit.queue.pair import QueuePair
from conformance.kit.refusals import expect_refusal
from conformance.kit.scripted_app import ScriptedRefusal
from conformance.kit.staged_block import StagedBlock
from pyibc.core.errors import ClientNotActive, InvalidRequest
from pyibc.core.numbers import be8
from pyibc.queues.errors import (
    InvalidQueueProof,
    InvalidReceipt,
    MessageTimeoutNotYetReached,
    MustBeRecipient,
    MustSubmitHeader,
    NoSuchPacket,
    OnlyMessageProofs,
    OutOfOrder,
    SentToDifferentChain,
    UnknownPacketType,
    UnregisteredSender,
    WrongDestination,
)
from pyibc.queues.packet import TIMED_OUT, Receipt
from pyibc.queues.states import encode_receipt
from pyibc.queues.types import End, Role, element_key, head_key, queue_of, tail_key
from pyibc.testing.pair import SECOND

FIRST = 1
FAULTS = ("sender", "role", "destination", "frozen", "header", "proof", "bounds")
"""In the documents' order, then the index: a key is of head or tail, or of an index."""


def error_of(fault, path):
    return {
        "sender": UnregisteredSender,
        "role": MustBeRecipient,
        "destination": WrongDestination if path.a.is_channel else SentToDifferentChain,
        "frozen": ClientNotActive,
        "header": MustSubmitHeader,
        "proof": InvalidQueueProof,
        "bounds": OnlyMessageProofs,
        "index": OutOfOrder,
    }[fault]


def elsewhere(end):
    return end._replace(channel="channel-99") if end.is_channel else End("gamma-1")


def unknown(height):
    """A height between two headers that the client has."""
    return height._replace(revision_height=height.revision_height - 1)


def spoilt(pair, path, stage, *faults):
    """The message that brings the first receipt home, with faults in it."""
    queue = path.incoming
    place = head_key(queue) if "bounds" in faults else element_key(queue, FIRST + ("index" in faults))
    items, height = pair.items(pair.b, [place])
    message = replace(pair.handle(path, [FIRST]), items=items, proof_height=height)
    remote = elsewhere(path.a) if "destination" in faults else path.a
    key = place.replace(queue, queue_of(path.b, remote, Role.SEND if "role" in faults else Role.RECEIPT))
    item = replace(items[0], key=key, proof=b"\x0a\x00" if "proof" in faults else items[0].proof)
    message = replace(message, items=(item,))
    if "sender" in faults:
        message = replace(message, source=elsewhere(path.b))
    if "header" in faults:
        message = replace(message, proof_height=unknown(message.proof_height))
    if "frozen" in faults:
        freeze_client(stage.ctx, pair.a.client_id)
    return message


def test_the_good_one_is_accepted(pair, path, at):
    assert at.a.attempt(spoilt(pair, path, at.a)).error is None


@pytest.mark.parametrize("fault", [*FAULTS, "index"])
def test_a_fault_is_told_by_its_name(pair, path, at, fault):
    expect_refusal(at.a, spoilt(pair, path, at.a, fault), error_of(fault, path))
    assert pair.a.mock.app.calls == []


@pytest.mark.parametrize(("first", "second"), [*pairwise(FAULTS), ("proof", "index")])
def test_of_two_faults_the_first_is_told(pair, path, at, first, second):
    expect_refusal(at.a, spoilt(pair, path, at.a, first, second), error_of(first, path))


def test_the_errors_say_what_was_expected(pair, path, at):
    expect_refusal(at.a, spoilt(pair, path, at.a, "index"), OutOfOrder, expected=FIRST, got=FIRST + 1)
    tail = pair.items(pair.b, [tail_key(path.incoming)])[0]
    message = replace(pair.handle(path, [FIRST]), items=tail)
    expect_refusal(at.a, message, OnlyMessageProofs)


def test_a_receipt_is_handled_once(pair, path, at):
    at.a.run(pair.handle(path, [FIRST]))
    expect_refusal(at.a, pair.handle(path, [FIRST]), OutOfOrder, expected=FIRST + 1, got=FIRST)
    assert [name for name, _ in pair.a.mock.app.calls] == ["on_commit"]


def test_one_bad_item_spoils_all(pair, path, at):
    message = pair.handle(path, [1, 2, 3])
    first, second, third = message.items
    expect_refusal(at.a, replace(message, items=(first, third)), OutOfOrder, expected=2, got=3)
    bad = replace(third, proof=first.proof)
    expect_refusal(at.a, replace(message, items=(first, second, bad)), InvalidQueueProof)
    expect_refusal(at.a, replace(message, items=()), InvalidRequest)
    assert pair.a.mock.app.calls == []


@pytest.mark.parametrize("callback", ["on_commit", "on_rollback"])
def test_an_application_that_refuses_keeps_its_packet(pair, path, at, callback):
    """One refusal undoes the whole message, with what the application wrote for earlier packets."""

    def refuse(ctx, *_):
        ctx.store("scripted_queue").set(b"trace", b"x")
        raise ScriptedRefusal(callback)

    pair.a.mock.app.script[callback] = refuse
    expect_refusal(at.a, pair.handle(path, [1, 2, 3]), ScriptedRefusal, callback=callback)


@pytest.mark.parametrize("callback", ["on_commit", "on_rollback"])
def test_h300_a_bug_keeps_the_packet_until_it_is_mended(pair, path, at, callback):
    """To pop it without its callback would lose what was escrowed for it."""

    def fail(ctx, *_):
        ctx.store("scripted_queue").set(b"trace", b"x")
        raise KeyError

    before = at.a.writes()
    pair.a.mock.app.script[callback] = fail
    with pytest.raises(KeyError):
        at.a.run(pair.handle(path, [1, 2, 3]))
    assert at.a.writes() == before
    pair.a.mock.app.script.clear()
    assert at.a.attempt(pair.handle(path, [1, 2, 3])).error is None


# -- a chain that writes what it likes


@pytest.fixture(scope="module")
def liar():
    """B's receipts are whatever a test says."""
    pair = QueuePair.registered()
    for _ in range(3):
        must(pair.send(pair.path, b"x", max_time_ns=pair.clock.now_ns + 1_000 * SECOND))
    yield pair
    pair.close()


def claim(pair, value, index=0):
    """B holds `value` as its receipt of `index`."""
    queue = pair.path.incoming
    pair.b.inside(lambda ctx: ctx.store("queue").set(element_key(queue, index), value))
    pair.sync()
    return pair.handle(pair.path, [index])


@pytest.mark.parametrize(
    "value",
    [
        b"\0",
        b"\x0a\x00\x0a\x00",  # the result twice
        b"\x0a\x80\x00",  # its length spelt long
        b"\x12\x00",  # an error without code
        b"\x12\x04\x0a\x02ab",
        b"\x12\x02\x10\x05",  # without codespace
        b"\x12\x06\x0a\x02ab\x10\x00",
        b"\x1a\x00",  # a field that there is not
        encode_receipt(Receipt(b"x")) + b"\x1a\x00",
        encode_receipt(Receipt(b"", "c" * 65, 1)),
        be8(7),
    ],
)
def test_a_receipt_that_cannot_be_read_changes_nothing(liar, value):
    message = claim(liar, value)
    expect_refusal(StagedBlock(liar.a.chain), message, InvalidReceipt, sequence=0)


def test_a_timeout_that_was_not_is_refused_until_it_is(liar):
    """[ICS5-2019]: "message timeout not yet reached", by B's clock at the proof's height, never ours."""
    message = claim(liar, encode_receipt(TIMED_OUT))
    later = StagedBlock(liar.a.chain, liar.clock.now_ns + 5_000 * SECOND)
    for stage in (StagedBlock(liar.a.chain), later):
        expect_refusal(stage, message, MessageTimeoutNotYetReached, sequence=0)
    liar.clock.advance(2_000 * SECOND)
    liar.sync()
    fresh = liar.handle(liar.path, [0])
    assert StagedBlock(liar.a.chain).attempt(fresh).error is None


def test_the_receipt_of_a_packet_never_sent(liar):
    message = claim(liar, encode_receipt(Receipt(b"")), index=0)
    stage = StagedBlock(liar.a.chain)
    liar.a.queues.queues.advance(stage.ctx, liar.path.outgoing, 3)
    expect_refusal(stage, message, OutOfOrder, expected=3, got=0)
    beyond = claim(liar, encode_receipt(Receipt(b"")), index=3)
    stage = StagedBlock(liar.a.chain)
    liar.a.queues.queues.advance(stage.ctx, liar.path.outgoing, 3)
    expect_refusal(stage, beyond, NoSuchPacket, sequence=3)


def test_a_packet_whose_application_is_gone_waits(liar):
    message = claim(liar, encode_receipt(Receipt(b"")))
    apps = liar.a.queues.apps
    app = apps.pop("mock")
    try:
        expect_refusal(StagedBlock(liar.a.chain), message, UnknownPacketType, packet_type="mock")
    finally:
        apps["mock"] = app
