"""Send: whose packet, its place, its type, who may, and the chain's rules on timeouts."""

from dataclasses import replace
from itertools import pairwise

import pytest

from conformance.kit.mutate_state import freeze_client
from conformance.kit.queue.pair import MOCK, QueuePair
from conformance.kit.refusals import expect_refusal
from conformance.kit.scripted_app import ScriptedRefusal
from conformance.kit.staged_block import StagedBlock
from pyibc.core.errors import ClientNotActive, InvalidAddress, LogicFault
from pyibc.core.height import ZERO_HEIGHT, Height
from pyibc.queues.errors import (
    InvalidEnd,
    InvalidQueuePacket,
    PacketTimeoutRequired,
    PacketTimeoutTooFar,
    ProtectedStore,
    QueueExhausted,
    UnknownPacketType,
    UnregisteredDestination,
    WrongPacketSequence,
    WrongSender,
)
from pyibc.queues.messages import MsgQueueSend
from pyibc.queues.packet import QueueConfig
from pyibc.queues.states import decode_packet
from pyibc.queues.types import End, element_key
from pyibc.testing.pair import SECOND

NEXT = 7


def message(pair, path, **changes):
    good = MsgQueueSend(path.a, path.b, None, MOCK, b"data", ZERO_HEIGHT, 0, pair.a.user.signer)
    return replace(good, **changes)


def test_a_packet_is_pushed_where_its_key_says_whose_it_is(pair, path, at):
    limits = {"max_height": Height(1, 99), "max_time_ns": 77}
    attempt = at.a.attempt(message(pair, path, sequence=NEXT, **limits))
    assert attempt.error is None
    assert attempt.response == b"\x08\x07"  # sequence 7
    raw = attempt.writes["queue", element_key(path.outgoing, NEXT)]
    packet = decode_packet(raw, *path, NEXT)
    assert (packet.type, packet.data, packet.max_height, packet.max_time_ns) == (
        MOCK,
        b"data",
        Height(1, 99),
        77,
    )
    ((kind, attributes),) = attempt.events
    assert kind == "queue_send"
    assert dict(attributes) == {
        "source": path.a.text,
        "destination": path.b.text,
        "sequence": "7",
        "type": MOCK,
        "max_height": "1-99",
        "max_time": "77",
        "client_id": pair.a.client_id,
        "data_hex": b"data".hex(),
    }
    ((name, (told, sender)),) = pair.a.mock.app.calls
    assert (name, told, sender.text) == ("on_send", packet, pair.a.user.signer)


def elsewhere(path):
    return path.b._replace(chain="gamma-1")


FAULTS = {
    "chain": (WrongSender, lambda p, path: {"source": End("gamma-1")}),
    "destination": (
        UnregisteredDestination,
        lambda p, path: {"destination": elsewhere(path)},
    ),
    "source": (WrongSender, lambda p, path: {"source": p.channel_paths[1].a}),
    "sequence": (WrongPacketSequence, lambda p, path: {"sequence": NEXT + 1}),
    "type": (UnknownPacketType, lambda p, path: {"type": "nobody's"}),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_told_by_its_name(pair, path, at, fault):
    error, change = FAULTS[fault]
    expect_refusal(at.a, message(pair, path, **change(pair, path)), error)
    assert pair.a.mock.app.calls == []


@pytest.mark.parametrize(("first", "second"), [*pairwise(FAULTS)])
def test_of_two_faults_the_first_is_told(pair, path, at, first, second):
    changes = FAULTS[second][1](pair, path) | FAULTS[first][1](pair, path)
    expect_refusal(at.a, message(pair, path, **changes), FAULTS[first][0])


@pytest.mark.parametrize("sequence", [0, 6, 8, 2**63, 2**64 - 1])
def test_another_sequence_than_the_next(pair, path, at, sequence):
    expect_refusal(
        at.a, message(pair, path, sequence=sequence), WrongPacketSequence, expected=NEXT, got=sequence
    )


def test_the_errors_say_what_was_expected(pair, path, at):
    expect_refusal(
        at.a, message(pair, path, source=End("gamma-1")), WrongSender, expected="alpha-1", got="gamma-1"
    )
    expect_refusal(
        at.a, message(pair, path, source=pair.channel_paths[1].a), WrongSender, expected=path.a.text
    )


def test_who_may_is_the_applications_to_say_and_its_writes_are_undone(pair, path, at):
    def refuse(ctx, packet, sender):
        ctx.store("scripted_queue").set(b"trace", b"x")
        ctx.emit(("trace", ()))
        raise ScriptedRefusal("on_send")

    pair.a.mock.app.script["on_send"] = refuse
    expect_refusal(at.a, message(pair, path), ScriptedRefusal)


def test_an_application_that_sends_first_is_refused(pair, path, at):
    """The packet it was asked about would get another sequence than it was told."""
    app = pair.a.mock.app
    app.script["on_send"] = lambda ctx, packet, sender: app.sender.send(ctx, packet.destination, b"mine")
    expect_refusal(at.a, message(pair, path), LogicFault)


def test_nothing_is_sent_over_a_client_that_vouches_for_nothing(pair, path, at):
    freeze_client(at.a.ctx, pair.a.client_id)
    expect_refusal(at.a, message(pair, path), ClientNotActive)


def test_the_queue_ends_at_its_last_index(pair, path, at):
    pair.a.queues.queues.advance(at.a.ctx, path.outgoing, 2**64 - 1)
    expect_refusal(at.a, message(pair, path), QueueExhausted)


def test_stateless_checks(pair, path, at):
    expect_refusal(at.a, message(pair, path, signer="nobody"), InvalidAddress)
    expect_refusal(at.a, message(pair, path, source=End("")), InvalidEnd)
    expect_refusal(at.a, message(pair, path, destination=End("a", "b", "c")), InvalidEnd)
    expect_refusal(at.a, message(pair, path, type=""), InvalidQueuePacket)
    expect_refusal(at.a, message(pair, path, data=b"x" * 262_145), InvalidQueuePacket)


# -- an application's own packets


def test_a_sender_is_bound_to_its_type(pair, path, at):
    """It takes no type: what its holder sends is of the type it registered."""
    sequence = pair.a.mock.app.sender.send(at.a.ctx, path.b, b"mine", Height(1, 9), 5)
    raw = dict(at.a.ctx.writes("queue"))[element_key(path.outgoing, NEXT)]
    packet = decode_packet(raw, *path, NEXT)
    assert (sequence, packet.type, packet.max_time_ns) == (NEXT, MOCK, 5)
    assert pair.a.mock.app.calls == []


def test_a_sender_refuses_what_a_message_is_refused_for(pair, path, at):
    sender = pair.a.mock.app.sender
    for error, arguments in (
        (UnregisteredDestination, (End("gamma-1"), b"x")),
        (InvalidQueuePacket, (path.b, b"x" * 262_145)),
    ):
        with pytest.raises(error):
            sender.send(at.a.ctx, *arguments)
    assert at.a.writes() == {}


def test_a_context_is_good_for_one_call(pair, path, at):
    app, kept = pair.a.mock.app, []
    app.script["on_send"] = lambda ctx, packet, sender: kept.append(ctx)
    at.a.run(message(pair, path))
    before = at.a.writes()
    with pytest.raises(ProtectedStore):
        app.sender.send(kept[0], path.b, b"later")
    assert at.a.writes() == before


# -- [ICS5-2019]: a blockchain may require a timeout on all messages, and impose some upper limit


def rules(**config):
    return QueuePair.registered(queue=QueueConfig(open_registration=True, **config))


MINUTE = 60 * SECOND
CASES = [
    # rules; what the packet has, as blocks and nanoseconds beyond what is known; the error
    ({}, (None, None), None),
    ({}, (10**9, 10**18), None),
    ({"require_timeout": True}, (None, None), PacketTimeoutRequired),
    ({"require_timeout": True}, (5, None), None),
    ({"require_timeout": True}, (None, 5), None),
    ({"max_blocks_ahead": 10}, (None, None), None),
    ({"max_blocks_ahead": 10}, (10, None), None),
    ({"max_blocks_ahead": 10}, (11, None), PacketTimeoutTooFar),
    ({"max_blocks_ahead": 10}, (None, 10**18), None),
    ({"max_time_ahead_ns": MINUTE}, (None, MINUTE), None),
    ({"max_time_ahead_ns": MINUTE}, (None, MINUTE + 1), PacketTimeoutTooFar),
    ({"max_time_ahead_ns": MINUTE, "max_blocks_ahead": 10}, (10, MINUTE + 1), PacketTimeoutTooFar),
    ({"max_time_ahead_ns": MINUTE, "max_blocks_ahead": 10}, (11, MINUTE), PacketTimeoutTooFar),
    ({"require_timeout": True, "max_blocks_ahead": 10}, (None, 5), PacketTimeoutRequired),
    ({"require_timeout": True, "max_blocks_ahead": 10}, (10, 5), None),
    ({"require_timeout": True, "max_time_ahead_ns": MINUTE}, (5, None), PacketTimeoutRequired),
    ({"require_timeout": True, "max_time_ahead_ns": MINUTE}, (None, 5), None),
]


@pytest.mark.parametrize(("config", "ahead", "error"), CASES)
def test_required_and_capped_timeouts(config, ahead, error):
    pair = rules(**config)
    blocks, time_ns = ahead
    known = pair.known(pair.a)
    now = pair.a.queues.clients.timestamp_at(StagedBlock(pair.a.chain).ctx, pair.a.client_id, known)
    limits = {
        "max_height": known._replace(revision_height=known.revision_height + blocks)
        if blocks
        else ZERO_HEIGHT,
        "max_time_ns": now + time_ns if time_ns else 0,
    }
    stage = StagedBlock(pair.a.chain)
    if error is None:
        assert stage.attempt(message(pair, pair.path, **limits)).error is None
        pair.a.mock.app.sender.send(stage.ctx, pair.path.b, b"x", *limits.values())
    else:
        expect_refusal(stage, message(pair, pair.path, **limits), error)
        with pytest.raises(error):
            pair.a.mock.app.sender.send(stage.ctx, pair.path.b, b"x", *limits.values())
    pair.close()


def test_another_revision_is_beyond_every_cap():
    pair = rules(max_blocks_ahead=10)
    expect_refusal(
        StagedBlock(pair.a.chain), message(pair, pair.path, max_height=Height(2, 1)), PacketTimeoutTooFar
    )
    pair.close()
