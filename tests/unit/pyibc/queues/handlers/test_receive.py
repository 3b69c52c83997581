"""What receive does: the handler in a branch, the receipt whatever it said, a batch under one header."""

import pytest

from conformance.kit.outcomes import must
from conformance.kit.queue.pair import QueuePair
from conformance.kit.refusals import expect_refusal
from conformance.kit.scripted_app import ScriptedRefusal
from conformance.kit.staged_block import StagedBlock
from pyibc.core.errors import ApplicationFault, IbcError, OutOfGas, TooLarge
from pyibc.core.height import Height
from pyibc.isolation.limits import MAX_EVENTS
from pyibc.queues.errors import (
    InvalidQueuePacket,
    OutOfOrder,
    PacketExpired,
    QueueExhausted,
    UnknownPacketType,
)
from pyibc.queues.packet import TIMED_OUT, Receipt
from pyibc.queues.states import decode_receipt
from pyibc.queues.types import element_key

NEXT = 4


def receipts(stage, path):
    """Index -> receipt, of those that a block pushed."""
    queue = path.incoming
    return {
        int.from_bytes(key[-8:], "big"): decode_receipt(value)
        for key, value in stage.ctx.writes("queue")
        if key.startswith(queue) and key[len(queue) :] not in {b"head", b"tail"}
    }


def received(attempt):
    return [dict(attributes) for kind, attributes in attempt.events if kind == "queue_receive"]


def test_a_packet_is_handled_and_its_result_pushed(pair, path, at):
    attempt = at.b.attempt(pair.receive(path, [NEXT]))
    assert attempt.error is None
    assert receipts(at.b, path) == {NEXT: Receipt(b"ok")}
    ((name, (packet,)),) = pair.b.mock.app.calls
    assert (name, packet.data, packet.sequence) == ("on_receive", b"fresh", NEXT)
    assert (packet.source, packet.destination) == path
    (event,) = received(attempt)
    assert event == {
        "source": path.a.text,
        "destination": path.b.text,
        "sequence": "4",
        "type": "mock",
        "max_height": "0-0",
        "max_time": "0",
        "client_id": pair.b.client_id,
        "data_hex": b"fresh".hex(),
        "result_hex": b"ok".hex(),
        "codespace": "",
        "code": "0",
    }


def test_the_first_round_was_answered_as_it_should(pair, path):
    queue = path.incoming
    entries = pair.b.entries()
    assert [decode_receipt(entries[element_key(queue, index)]) for index in (1, 2, 3)] == [
        Receipt(b"ok"),
        Receipt(b"", ScriptedRefusal.codespace, ScriptedRefusal.code),
        TIMED_OUT,
    ]
    assert (TIMED_OUT.codespace, TIMED_OUT.code) == (PacketExpired.codespace, PacketExpired.code)


def test_expired_packets_get_a_timeout_error_and_no_handler(pair, path, at):
    must_be_late = at.b.attempt(pair.receive(path, [4, 5, 6]))
    assert must_be_late.error is None
    assert receipts(at.b, path) == {4: Receipt(b"ok"), 5: TIMED_OUT, 6: TIMED_OUT}
    assert [packet.data for _, (packet,) in pair.b.mock.app.calls] == [b"fresh"]


def test_a_failed_handler_is_undone_and_its_receipt_pushed(pair, path, at):
    """H4: its events are not told as effects either; the protocol's own event says how it ended."""

    def fail(ctx, packet):
        ctx.store("scripted_queue").set(b"trace", packet.data)
        ctx.emit(("scripted_effect", ()))
        raise ScriptedRefusal("on_receive")

    pair.b.mock.app.script["on_receive"] = fail
    attempt = at.b.attempt(pair.receive(path, [NEXT]))
    assert attempt.error is None
    assert {store for store, _ in attempt.writes} == {"queue"}
    assert [kind for kind, _ in attempt.events] == ["queue_receive"]
    assert (received(attempt)[0]["codespace"], received(attempt)[0]["code"]) == ("scripted", "7")
    assert receipts(at.b, path) == {NEXT: Receipt(b"", "scripted", 7)}
    after = at.b.attempt(pair.receive(path, [NEXT + 1]))
    assert after.error is None


def test_a_result_that_is_too_large_is_an_error(pair, path, at):
    pair.b.mock.app.script["on_receive"] = lambda ctx, packet: b"x" * 262_145
    at.b.run(pair.receive(path, [NEXT]))
    assert receipts(at.b, path) == {NEXT: Receipt(b"", TooLarge.codespace, TooLarge.code)}
    assert (b"last", b"fresh") not in at.b.ctx.writes("scripted_queue")


def test_an_unknown_type_is_an_error(pair, path, at):
    apps = pair.b.queues.apps
    app = apps.pop("mock")
    try:
        at.b.run(pair.receive(path, [NEXT]))
    finally:
        apps["mock"] = app
    assert receipts(at.b, path) == {NEXT: Receipt(b"", UnknownPacketType.codespace, UnknownPacketType.code)}


def test_an_application_cannot_answer_timeout_error(pair, path, at):
    """It would hold the sender's queue up until the packet really expired, or for ever."""

    def pretend(ctx, packet):
        raise PacketExpired

    pair.b.mock.app.script["on_receive"] = pretend
    at.b.run(pair.receive(path, [NEXT]))
    assert receipts(at.b, path) == {NEXT: Receipt(b"", "queue", 1)}


@pytest.mark.parametrize(
    ("codespace", "code"), [("app", 0), ("app", -1), ("app", 2**32), ("", 5), ("a" * 65, 5), ("\ud800", 5)]
)
def test_an_error_without_a_proper_number_is_an_error_all_the_same(pair, path, at, codespace, code):
    """Code 0 means success: the sender would commit what was undone here."""
    odd = type("Odd", (IbcError,), {"codespace": codespace, "code": code})

    def fail(ctx, packet):
        raise odd

    pair.b.mock.app.script["on_receive"] = fail
    at.b.run(pair.receive(path, [NEXT]))
    assert receipts(at.b, path) == {NEXT: Receipt(b"", "queue", 1)}


# -- a handler with a bug

PANIC = Receipt(b"", ApplicationFault.codespace, ApplicationFault.code)


def down(levels):
    return levels and down(levels - 1)


def raises(error):
    def handler(ctx, packet):
        raise error

    return handler


def panic_of(attempt):
    """What a panic of the message was, None where there was none."""
    try:
        attempt()
    except BaseException as error:
        return error
    return None


@pytest.mark.parametrize(
    "error",
    [KeyError("a text that differs"), AssertionError(), GeneratorExit(), type("Own", (BaseException,), {})()],
    ids=lambda each: type(each).__name__,
)
def test_h300_a_bug_of_a_handler_is_answered(pair, path, at, error):
    """Else the packet, and all behind it in its queue, would wait for ever."""
    pair.b.mock.app.script["on_receive"] = raises(error)
    message, before = pair.receive(path, [NEXT]), at.b.writes()
    assert panic_of(lambda: at.b.run(message)) is None
    assert receipts(at.b, path) == {NEXT: PANIC}
    assert {store for store, _ in at.b.writes().keys() - before} == {"queue"}
    assert [kind for kind, _ in at.b.ctx.events] == ["queue_receive"]
    pair.b.mock.app.script.clear()
    assert at.b.attempt(pair.receive(path, [NEXT + 1])).error is None


def test_h300_a_bug_spoils_its_own_packet_alone(pair, path, at):
    """Of a message of several packets the others are executed."""

    def fails_once(ctx, packet):
        if packet.sequence == NEXT:
            raise KeyError
        return b"ok"

    at.b.ctx.time_ns = 0  # the packets behind it have not expired
    pair.b.mock.app.script["on_receive"] = fails_once
    high = [NEXT, NEXT + 1]
    at.b.run(pair.receive(path, high))
    assert receipts(at.b, path) == {NEXT: PANIC, NEXT + 1: Receipt(b"ok")}


def test_h300_a_handler_that_calls_too_deep_is_answered(pair, path, at):
    """It is charged half of the gas that was left: what it used depends on this Python's library."""
    used = []
    for wasted in (0, 5_000):
        stage = StagedBlock(pair.b.chain)
        stage.ctx.gas.reset(1_000_000)
        pair.b.mock.app.script["on_receive"] = lambda ctx, packet, gas=wasted: (
            ctx.gas.consume(gas) or down(1_000)
        )
        assert stage.attempt(pair.receive(path, [NEXT])).error is None
        assert receipts(stage, path) == {NEXT: PANIC}
        used.append(stage.ctx.gas.used)
    assert used[0] == used[1] > 500_000


def test_h300_a_handler_that_emits_too_much_is_answered(pair, path, at):
    """The message would fail by it, and with it the packet."""

    def tell(ctx, packet):
        for _ in range(MAX_EVENTS):
            ctx.emit(("told", ()))
        return b"ok"

    pair.b.mock.app.script["on_receive"] = tell
    assert at.b.attempt(pair.receive(path, [NEXT])).error is None
    assert receipts(at.b, path) == {NEXT: Receipt(b"", TooLarge.codespace, TooLarge.code)}


@pytest.mark.parametrize("change", [{"code": "5"}, {"codespace": None}, {"text": "{nothing}"}], ids=str)
def test_h300_an_error_whose_code_is_no_number_is_answered(pair, path, at, change):
    odd = type("Odd", (IbcError,), {"codespace": "app", "code": 5, **change})
    pair.b.mock.app.script["on_receive"] = raises(odd())
    message = pair.receive(path, [NEXT])
    assert panic_of(lambda: at.b.run(message)) is None
    assert receipts(at.b, path) == {NEXT: Receipt(b"", "queue", 1)}


def gone(*_):
    raise OSError


def refused(ctx, packet):
    try:
        gone()
    except OSError as error:
        raise ScriptedRefusal("on_receive") from error


@pytest.mark.parametrize(
    ("handler", "kind"),
    [(raises(MemoryError()), MemoryError), (gone, OSError), (refused, OSError)],
    ids=["memory", "disk", "in another's place"],
)
def test_h300_d39_the_machine_s_error_is_no_receipt(pair, path, at, handler, kind):
    """Another validator might not have met it: the node stops."""
    pair.b.mock.app.script["on_receive"] = handler
    with pytest.raises(kind):
        at.b.run(pair.receive(path, [NEXT]))
    assert receipts(at.b, path) == {}


def test_out_of_gas_is_no_receipt(pair, path, at):
    def burn(ctx, packet):
        ctx.gas.consume(10**18)

    at.b.ctx.gas.reset(1_000_000)
    pair.b.mock.app.script["on_receive"] = burn
    with pytest.raises(OutOfGas):
        at.b.run(pair.receive(path, [NEXT]))
    assert receipts(at.b, path) == {}


def test_an_application_that_only_says_out_of_gas_is_answered(pair, path, at):
    """Else it could keep its packet, and all behind it, from ever being received."""

    def bluff(ctx, packet):
        raise OutOfGas(1)

    pair.b.mock.app.script["on_receive"] = bluff
    at.b.run(pair.receive(path, [NEXT]))
    assert receipts(at.b, path) == {NEXT: Receipt(b"", OutOfGas.codespace, OutOfGas.code)}


def test_gas_that_runs_out_in_a_proof_is_no_bad_proof(pair, path):
    """Whatever the limit, the message is refused for gas or accepted; never for its proof."""
    message, seen = pair.receive(path, [NEXT]), set()
    for limit in range(0, 60_000, 997):
        stage = StagedBlock(pair.b.chain)
        stage.ctx.gas.reset(limit)
        seen.add(type(stage.attempt(message).error))
    assert seen == {OutOfGas, type(None)}


def test_many_packets_come_under_one_header_in_order(pair, path, at):
    at.b.run(pair.receive(path, [4, 5]))
    at.b.run(pair.receive(path, [6]))
    assert sorted(receipts(at.b, path)) == [4, 5, 6]


def test_channels_of_one_connection_have_orders_of_their_own(pair):
    """What waits on one holds nothing up on the other."""
    stage = StagedBlock(pair.b.chain)
    stage.run(pair.receive(pair.channel_paths[0], [4, 5, 6]))
    expect_refusal(stage, pair.receive(pair.channel_paths[0], [4]), OutOfOrder, expected=7)
    stage.run(pair.receive(pair.path, [4]))


# -- a chain that writes what it likes


@pytest.fixture(scope="module")
def liar():
    pair = QueuePair.registered()
    must(pair.send(pair.path))
    yield pair
    pair.close()


@pytest.mark.parametrize(
    "value",
    [
        b"\0",
        b"\x12\x01x",  # no type
        b"\x0a\x04mock\x12\x01x\x12\x01y",  # the data twice
        b"\x12\x01x\x0a\x04mock",  # in another order
        b"\x0a\x04mock\x1a\x00",  # a height that is there and empty
        b"\x0a\x04mock\x20\x00",  # a time that is there and zero
        b"\x0a\x04mock\x78\x01",  # a field that there is not
        b"\x0a\x01\xff",  # no text
    ],
)
def test_what_cannot_be_read_is_answered_and_blocks_nothing(liar, value):
    path = liar.path
    key = element_key(path.outgoing, 0)
    liar.a.inside(lambda ctx: ctx.store("queue").set(key, value))
    liar.sync()
    stage = StagedBlock(liar.b.chain)
    attempt = stage.attempt(liar.receive(path, [0]))
    assert attempt.error is None
    assert receipts(stage, path) == {0: Receipt(b"", InvalidQueuePacket.codespace, InvalidQueuePacket.code)}
    assert received(attempt)[0]["type"] == ""
    assert liar.b.mock.app.calls == []


def test_the_last_index_is_refused_before_its_handler_runs(liar):
    path, top = liar.path, 2**64 - 1
    key = element_key(path.outgoing, top)
    liar.a.inside(lambda ctx: ctx.store("queue").set(key, b"\x0a\x04mock"))
    liar.sync()
    stage = StagedBlock(liar.b.chain)
    liar.b.queues.queues.advance(stage.ctx, path.incoming, top)
    expect_refusal(stage, liar.receive(path, [top]), QueueExhausted)
    assert liar.b.mock.app.calls == []


def test_a_packet_is_valid_at_its_last_height_and_no_later(liar):
    """[ICS5-2019]: expired is h > maxHeight, by the block under way."""
    pair = QueuePair.registered()
    height = pair.b.chain.height + 5
    must(pair.send(pair.path, b"x", max_height=Height(1, height)))
    pair.sync()
    while pair.b.chain.height < height - 1:
        pair.b.chain.make_block([])
    in_time = StagedBlock(pair.b.chain)
    assert in_time.ctx.height == Height(1, height)
    in_time.run(pair.receive(pair.path, [0]))
    assert receipts(in_time, pair.path) == {0: Receipt(b"ok")}
    pair.b.chain.make_block([])
    late = StagedBlock(pair.b.chain)
    late.run(pair.receive(pair.path, [0]))
    assert receipts(late, pair.path) == {0: TIMED_OUT}
    pair.close()
