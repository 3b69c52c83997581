"""Every "fail with" of receive: exactly that error, nothing changed, and the first of two that both apply."""

from dataclasses import replace
from itertools import pairwise

import pytest

from conformance.kit.mutate_state import freeze_client
from conformance.kit.refusals import expect_refusal
from conformance.kit.staged_block import StagedBlock
from pyibc.core.errors import ClientNotActive, InvalidRequest
from pyibc.core.height import Height
from pyibc.queues.errors import (
    InvalidEnd,
    InvalidQueueProof,
    MustBeSend,
    MustSubmitHeader,
    OnlyMessageProofs,
    OutOfOrder,
    SentToDifferentChain,
    UnregisteredSender,
    WrongDestination,
    WrongSender,
)
from pyibc.queues.messages import Item
from pyibc.queues.packet import Registration
from pyibc.queues.types import End, Role, element_key, head_key, queue_of, tail_key
from pyibc.testing.pair import SECOND

NEXT = 4
FAULTS = ("sender", "role", "destination", "index", "frozen", "header", "proof")
"""In the documents' order; a frozen client is one that trusts no header at all."""


def error_of(fault, path):
    return {
        "sender": UnregisteredSender,
        "role": MustBeSend,
        "destination": WrongDestination if path.b.is_channel else SentToDifferentChain,
        "index": OutOfOrder,
        "frozen": ClientNotActive,
        "header": MustSubmitHeader,
        "proof": InvalidQueueProof,
    }[fault]


def elsewhere(end):
    return end._replace(channel="channel-99") if end.is_channel else End("gamma-1")


def unknown(height):
    """A height between two headers that the client has."""
    return height._replace(revision_height=height.revision_height - 1)


def spoilt(pair, path, stage, *faults):
    """The message that brings the next packet, with faults in it."""
    message = pair.receive(path, [NEXT])
    remote = elsewhere(path.b) if "destination" in faults else path.b
    role = Role.RECEIPT if "role" in faults else Role.SEND
    key = element_key(queue_of(path.a, remote, role), NEXT + 1 if "index" in faults else NEXT)
    (item,) = message.items
    item = replace(item, key=key, proof=b"\x0a\x00" if "proof" in faults else item.proof)
    message = replace(message, items=(item,))
    if "sender" in faults:
        message = replace(message, source=elsewhere(path.a))
    if "header" in faults:
        message = replace(message, proof_height=unknown(message.proof_height))
    if "frozen" in faults:
        freeze_client(stage.ctx, pair.b.client_id)
    return message


def test_the_good_one_is_accepted(pair, path, at):
    assert at.b.attempt(spoilt(pair, path, at.b)).error is None


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_told_by_its_name(pair, path, at, fault):
    expect_refusal(at.b, spoilt(pair, path, at.b, fault), error_of(fault, path))
    assert pair.b.mock.app.calls == []


@pytest.mark.parametrize(("first", "second"), [*pairwise(FAULTS)])
def test_of_two_faults_the_first_is_told(pair, path, at, first, second):
    expect_refusal(at.b, spoilt(pair, path, at.b, first, second), error_of(first, path))


def test_with_all_faults_the_first_left_is_told(pair, path):
    for at in range(len(FAULTS)):
        stage = StagedBlock(pair.b.chain)
        expect_refusal(stage, spoilt(pair, path, stage, *FAULTS[at:]), error_of(FAULTS[at], path))


def test_the_errors_say_what_was_expected(pair, path, at):
    fields = {
        "sender": {"sender": elsewhere(path.a).text},
        "destination": {"expected": path.b.text, "got": elsewhere(path.b).text},
        "index": {"expected": NEXT, "got": NEXT + 1},
        "header": {"height": str(unknown(pair.known(pair.b)))},
    }
    for fault, facts in fields.items():
        stage = StagedBlock(pair.b.chain)
        expect_refusal(stage, spoilt(pair, path, stage, fault), error_of(fault, path), **facts)


@pytest.mark.parametrize("place", [head_key, tail_key])
def test_head_and_tail_are_no_packets(pair, path, at, place):
    message = pair.receive(path, [NEXT])
    items, height = pair.items(pair.a, [place(path.outgoing)])
    expect_refusal(at.b, replace(message, items=items, proof_height=height), OnlyMessageProofs)


@pytest.mark.parametrize("index", [0, 3, 5, 2**63, 2**64 - 1])
def test_only_the_next_packet(pair, path, at, index):
    message = pair.receive(path, [NEXT])
    key = element_key(path.outgoing, index)
    item = replace(message.items[0], key=key)
    expect_refusal(at.b, replace(message, items=(item,)), OutOfOrder, expected=NEXT, got=index)


@pytest.mark.parametrize("key", [b"", b"registration/alpha-1", b"ibc:beta-1:send\0neck", b"\xff" * 300])
def test_keys_of_nothing_are_no_sends(pair, path, at, key):
    message = pair.receive(path, [NEXT])
    item = replace(message.items[0], key=key)
    expect_refusal(at.b, replace(message, items=(item,)), MustBeSend)


def test_a_received_packet_is_not_received_again(pair, path, at):
    at.b.run(pair.receive(path, [NEXT]))
    expect_refusal(at.b, pair.receive(path, [NEXT]), OutOfOrder, expected=NEXT + 1, got=NEXT)


def test_every_value_but_the_true_one_is_refused(pair, path, at):
    message = pair.receive(path, [NEXT])
    for value in (b"", message.items[0].value + b"\0", message.items[0].value[:-1]):
        item = replace(message.items[0], value=value)
        expect_refusal(at.b, replace(message, items=(item,)), InvalidQueueProof)


def test_a_proof_of_another_queue_or_index_does_not_do(pair, path, at):
    """The same data stands in the other path's queue at the same index."""
    other = pair.channel_paths[0] if path == pair.path else pair.path
    message, foreign = pair.receive(path, [NEXT]), pair.receive(other, [NEXT])
    assert message.items[0].value == foreign.items[0].value
    item = replace(message.items[0], proof=foreign.items[0].proof)
    expect_refusal(at.b, replace(message, items=(item,)), InvalidQueueProof)


@pytest.mark.parametrize(
    "height", [Height(0, 0), Height(1, 2**63), Height(2, 1), Height(2**64 - 1, 2**64 - 1)]
)
def test_a_header_that_nobody_submitted(pair, path, at, height):
    message = replace(pair.receive(path, [NEXT]), proof_height=height)
    expect_refusal(at.b, message, MustSubmitHeader, height=str(height))
    broken = replace(message.items[0], proof=b"\xff")
    expect_refusal(at.b, replace(message, items=(broken,)), MustSubmitHeader)


def test_a_header_of_another_height_proves_nothing(pair, path, at):
    """The client has it, and the packet is in that state as well; the proof is not of that state."""
    message = pair.receive(path, [NEXT])
    pair.sync()
    stage = StagedBlock(pair.b.chain)
    expect_refusal(stage, replace(message, proof_height=pair.known(pair.b)), InvalidQueueProof)
    assert stage.attempt(message).error is None


def test_an_expired_client_vouches_for_nothing(pair, path):
    message = pair.receive(path, [NEXT])
    late = StagedBlock(pair.b.chain, pair.clock.now_ns + 10**9 * SECOND)
    expect_refusal(late, message, ClientNotActive, status="Expired")


def test_one_bad_item_spoils_all(pair, path, at):
    message = pair.receive(path, [NEXT, NEXT + 1, NEXT + 2])
    first, second, third = message.items
    bad_proof = replace(third, proof=first.proof)
    expect_refusal(at.b, replace(message, items=(first, second, bad_proof)), InvalidQueueProof)
    expect_refusal(at.b, replace(message, items=(first, third)), OutOfOrder, expected=5, got=6)
    expect_refusal(at.b, replace(message, items=(first, first)), OutOfOrder, expected=5, got=4)
    assert at.b.attempt(message).error is None


def test_stateless_checks(pair, path, at):
    message = pair.receive(path, [NEXT])
    expect_refusal(at.b, replace(message, items=()), InvalidRequest)
    expect_refusal(at.b, replace(message, source=End("a b")), InvalidEnd)
    expect_refusal(at.b, replace(message, items=(Item(b"", b"", b""),)), MustBeSend)


def test_chains_that_pair_their_ends_differently_hear_nothing_of_each_other(pair):
    """A's channel-0 means B's channel-10, which B pairs with another end of A: nothing is ever executed, so
    that A's timeouts take nothing back that B has done."""
    path = pair.channel_paths[0]
    other = path.a._replace(channel="channel-2")
    stage = StagedBlock(pair.b.chain)
    wrong = Registration.of(pair.b.client_id, path.b, other, b"queue")
    pair.b.queues.registrations.set(stage.ctx, wrong)
    pair.b.queues.queues.init(stage.ctx, wrong.incoming)
    message = replace(pair.receive(path, [NEXT]), source=other)
    expect_refusal(stage, message, WrongSender, expected=other.text, got=path.a.text)
