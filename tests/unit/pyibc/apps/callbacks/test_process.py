"""One callback: whatever a contract does, it leaves the block as it was, or its transaction fails."""

import logging
import sys
from contextlib import suppress

import pytest

from pyibc.apps.callbacks.caller import CallbackType, process
from pyibc.apps.callbacks.contract import Contract, SourceTimedOut, bind_contract
from pyibc.apps.callbacks.memo import CallbackData
from pyibc.core.errors import (
    ApplicationFault,
    CallbackNotImplemented,
    CallbackOutOfGas,
    CallbackPanicked,
    IbcError,
    InvalidCallbackAnswer,
    InvalidRequest,
    LogicFault,
    OutOfGas,
    TooLarge,
)
from pyibc.core.host.context import MessageRoute
from pyibc.core.host.overlay import BlockContext
from pyibc.isolation.boundary import Place, in_block
from pyibc.isolation.call_depth import MAX_FRAMES, TooDeep, counted
from pyibc.isolation.call_state import SYSTEM_ERRORS, THREAD
from pyibc.isolation.isolate import builtin, isolate
from pyibc.isolation.limits import MAX_CONTRACT_EVENT_BYTES, MAX_CONTRACT_EVENTS
from pyibc.isolation.scoped_context import Grant

LIMIT = 100_000
LATER = [each for each in CallbackType if each is not CallbackType.SEND]


class Plain:
    """A store without entries; what it is given to raise it raises."""

    error = None

    def get(self, _key):
        if self.error is not None:
            raise self.error

    def iterate(self, _start, _end):
        return iter(())


@pytest.fixture
def disk():
    return Plain()


@pytest.fixture
def ctx(disk):
    made = BlockContext("a-1", 1, 1, {"ibc": disk, "own": disk, "other": disk})
    made.gas.reset(LIMIT)
    return made


@pytest.fixture(autouse=True)
def clean():
    before = sys.getprofile()
    yield
    THREAD.call.clear()
    assert not THREAD.call.counting
    assert sys.getprofile() is before


def callback_data(commit, execution=None):
    return CallbackData("somewhere", b"", "me", "v", commit if execution is None else execution, commit)


def bound(act, **methods):
    made = type("Acting", (Contract,), {"on_timeout_packet": lambda self, ctx: act(ctx), **methods})
    return bind_contract(made(), "a test", Grant(frozenset({"own"}))).on_timeout_packet


def run(ctx, act, occasion=CallbackType.TIMEOUT, commit=50_000, execution=None):
    """Gas is what the transaction had before, and a contract that failed left nothing."""
    told = SourceTimedOut(callback_data(commit, execution), None, None)
    failed = process(ctx, occasion, told.asked, bound(act), told, Place("a test"))
    if failed is not None:
        assert ctx.events == []
        assert [ctx.writes(name) for name in ("ibc", "own", "other")] == [[], [], []]
    assert ctx.gas.limit == LIMIT
    assert THREAD.call.fault is None
    return failed


def settled(ctx, act, occasion):
    """What becomes of a contract that must not fail the transaction."""
    try:
        return run(ctx, act, occasion)
    except BaseException as raised:
        pytest.fail(f"the transaction fails: {raised!a}")


@builtin
class Ours:
    """A plugin of the distribution's own: its messages have the block itself."""


def delivered(call):
    """The call as a message's."""
    route = MessageRoute(bytes, lambda _: (), lambda block, _: call(block) or b"", "/x.R")
    return lambda block: isolate(Ours()).message("/x.Msg", route).deliver(block, None)


def same(error, other):
    assert (type(error), str(error)) == (type(other), str(other))


def write(ctx):
    ctx.store("own").set(b"key", b"value")
    ctx.emit(("wrote", ()))


COST_OF_WRITE = 2_000 + 30 * 8


def test_a_contract_that_succeeds_keeps_what_it_wrote_and_pays_for_it(ctx):
    ctx.gas.consume(7)
    assert run(ctx, write) is None
    assert ctx.writes("own") == [(b"key", b"value")]
    assert ctx.events == [("wrote", ())]
    assert ctx.gas.used == 7 + COST_OF_WRITE


def test_a_contract_sees_its_own_part_of_the_gas(ctx):
    seen = []
    ctx.gas.consume(60_000)
    run(ctx, lambda own: seen.append(own.gas.remaining), commit=30_000)
    run(ctx, lambda own: seen.append(own.gas.remaining), commit=50_000, execution=40_000)
    assert seen == [30_000, 40_000]


def refuse(ctx):
    write(ctx)
    raise InvalidRequest("no")


@pytest.mark.parametrize("occasion", CallbackType)
def test_h175_a_refusal_undoes_what_the_contract_wrote(ctx, occasion):
    same(run(ctx, refuse, occasion), InvalidRequest("no"))
    assert ctx.gas.used == COST_OF_WRITE  # it is paid all the same


class Unsound(IbcError):
    """A refusal whose code no result can hold."""

    codespace = "mine"
    code = 0
    text = "x"


@pytest.mark.parametrize(
    "error", [ValueError("x"), KeyError(), LogicFault("x"), ApplicationFault("x"), Unsound(), GeneratorExit()]
)
@pytest.mark.parametrize("occasion", LATER)
def test_h175_a_bug_of_a_contract_does_not_hold_a_packet_up(ctx, occasion, error, caplog):
    def act(own):
        write(own)
        raise error

    with caplog.at_level(logging.ERROR, "pyibc"):
        failed = settled(ctx, act, occasion)
    same(failed, CallbackPanicked(occasion.value, type(error).__name__))
    assert (failed.codespace, failed.code) == ("ibccallbacks", 7)
    assert "a panic in a test" in caplog.text
    assert ctx.gas.used == COST_OF_WRITE


@pytest.mark.parametrize("error", [ValueError("x"), LogicFault("x"), OutOfGas(1, 2)])
def test_a_bug_of_a_contract_fails_the_transaction_of_a_send(ctx, error):
    def act(own):
        write(own)
        raise error

    with pytest.raises(type(error)) as raised:
        run(ctx, act, CallbackType.SEND)
    assert raised.value is error
    assert ctx.writes("own") == []
    assert ctx.gas.limit == LIMIT


# -- gas


def use(amount):
    def act(own):
        write(own)
        own.gas.consume(amount)

    return act


def use_and(after, amount=50_000):
    def act(own):
        write(own)
        with suppress(OutOfGas):
            own.gas.consume(amount)
        after()

    return act


def raise_refusal():
    raise InvalidRequest("no")


def raise_bug():
    raise ValueError


@pytest.mark.parametrize(
    "act", [use(50_000), use_and(lambda: None), use_and(raise_refusal), use_and(raise_bug)]
)
@pytest.mark.parametrize("occasion", LATER)
def test_h175_a_contract_that_had_all_it_was_allowed_fails_alone(ctx, occasion, act):
    ctx.gas.consume(9)
    failed = settled(ctx, act, occasion)
    same(failed, CallbackOutOfGas(occasion.value))
    assert (failed.codespace, failed.code) == ("ibccallbacks", 6)
    assert ctx.gas.used == 9 + 50_000  # what it was allowed, not what it wanted


@pytest.mark.parametrize("act", [use(99_999), use_and(lambda: None, 99_999), use_and(raise_bug, 99_999)])
@pytest.mark.parametrize("occasion", LATER)
def test_h176_with_too_little_gas_nothing_is_settled(ctx, occasion, act):
    """Else a relayer could make a contract fail by bringing its packet with little gas."""
    ctx.gas.consume(60_000)
    with pytest.raises(OutOfGas):
        run(ctx, act, occasion, commit=50_000, execution=40_000)
    assert ctx.writes("own") == []
    assert ctx.gas.limit == LIMIT
    assert ctx.gas.used > LIMIT  # whoever swallows the error on the way: the boundary finds it


def test_h176_what_swallows_it_on_the_way_does_not_settle_anything(ctx):
    def swallow(block):
        with suppress(IbcError):
            run(block, use(99_999), commit=LIMIT + 1, execution=LIMIT)

    with pytest.raises(OutOfGas):
        delivered(swallow)(ctx)


def test_a_send_that_runs_out_of_gas_fails_as_its_contract_raised(ctx):
    with pytest.raises(OutOfGas):
        run(ctx, use(50_000), CallbackType.SEND)
    failed = run(ctx, use_and(raise_refusal, 30_000), CallbackType.SEND, commit=30_000)
    same(failed, CallbackOutOfGas("send_packet"))
    with pytest.raises(ValueError, match=r"^$"):
        run(ctx, use_and(raise_bug, 9_000), CallbackType.SEND, commit=9_000)


def test_the_limit_itself_may_be_reached(ctx):
    assert run(ctx, use(50_000 - COST_OF_WRITE)) is None
    assert ctx.gas.used == 50_000


# -- depth


def down(levels):
    return 0 if not levels else down(levels - 1)


def deep(_):
    down(2 * MAX_FRAMES)


def deep_and_on(own):
    write(own)
    with suppress(BaseException):
        down(2 * MAX_FRAMES)


def deeper_than_python(own):
    with suppress(TooDeep):
        down(2 * MAX_FRAMES)
    down(100_000)


@pytest.mark.parametrize("act", [deep, deep_and_on, deeper_than_python])
@pytest.mark.parametrize("occasion", LATER)
def test_h175_a_contract_that_calls_too_deep_fails_alone(ctx, occasion, act):
    same(settled(ctx, act, occasion), CallbackPanicked(occasion.value, "TooDeep"))
    assert ctx.gas.used == 50_000  # all: what it had used depends on the library


def test_a_contract_that_calls_too_deep_fails_a_send(ctx):
    with pytest.raises(ApplicationFault):
        in_block("a test", lambda block: run(block, deep, CallbackType.SEND))(ctx)


def test_h175_the_caller_s_depth_is_counted_on_after_that(ctx):
    """A stranger's middleware around the callbacks is counted itself, before and after."""

    def around(block, levels):
        same(run(block, deep), CallbackPanicked("timeout_packet", "TooDeep"))
        assert THREAD.call.counting
        down(levels)

    in_block("a test", counted(around))(ctx, MAX_FRAMES - 2)
    ctx.gas.reset(LIMIT)
    with pytest.raises(ApplicationFault):
        in_block("a test", counted(around))(ctx, MAX_FRAMES + 1)


# -- what the machine decides


@pytest.mark.parametrize("kind", SYSTEM_ERRORS)
@pytest.mark.parametrize("occasion", CallbackType)
def test_h178_an_error_of_the_machine_stops_the_node(ctx, occasion, kind):
    def hidden(_):
        raise InvalidRequest("x") from kind()

    def swallow(block):
        with suppress(BaseException):
            run(block, hidden, occasion)

    with pytest.raises(kind):
        in_block("a test", swallow)(ctx)


@pytest.mark.parametrize("after", [lambda: None, raise_refusal])
def test_h178_a_store_that_failed_under_a_contract_stops_the_node(ctx, disk, after):
    def act(own):
        disk.error = ZeroDivisionError("the disk")
        with suppress(Exception):
            own.store("own").get(b"x")
        disk.error = None
        after()

    def swallow(block):
        with suppress(BaseException):
            run(block, act)

    with pytest.raises(ZeroDivisionError):
        in_block("a test", swallow)(ctx)


def test_h178_no_contract_is_called_after_what_somebody_swallowed(ctx):
    called = []

    def swallow(block):
        with suppress(BaseException):
            down(2 * MAX_FRAMES)
        run(block, called.append)

    with pytest.raises(ApplicationFault):
        in_block("a test", counted(swallow))(ctx)
    assert called == []


# -- what a contract may do


@pytest.mark.parametrize("name", ["ibc", "other"])
def test_h179_a_contract_writes_its_plugin_s_stores_alone(ctx, name):
    failed = run(ctx, lambda own: own.store(name).set(b"k", b"v"))
    same(failed, CallbackPanicked("timeout_packet", "LogicFault"))


def test_h179_its_context_ends_with_the_call(ctx):
    kept = []
    assert run(ctx, lambda own: kept.extend([own, own.store("own"), own.gas, own.branch()])) is None
    context, store, meter, branch = kept
    for use_it in (context.branch, lambda: store.set(b"k", b"v"), lambda: meter.consume(1), branch.__enter__):
        with pytest.raises(LogicFault):
            use_it()
    assert ctx.writes("own") == []


def test_h179_it_gives_no_gas_back(ctx):
    same(run(ctx, lambda own: own.gas.consume(-1)), CallbackPanicked("timeout_packet", "LogicFault"))


@pytest.mark.parametrize(
    "events",
    [[("e", ())] * (MAX_CONTRACT_EVENTS + 1), [("e", (("k", "x" * (MAX_CONTRACT_EVENT_BYTES - 1)),))]],
)
def test_h175_a_contract_that_tells_too_much_fails_alone(ctx, events):
    """Else the message would, later: the packet could never be settled."""

    def act(own):
        for event in events:
            own.emit(event)

    assert isinstance(run(ctx, act), TooLarge)
    assert (
        run(ctx, lambda own: [own.emit(each) for each in events[:1_000]] and None) is None or len(events) == 1
    )


def test_a_contract_answers_with_nothing(ctx):
    told = SourceTimedOut(callback_data(50_000), None, None)
    call = bound(None, on_timeout_packet=lambda self: True)
    failed = process(ctx, CallbackType.TIMEOUT, told.asked, call, told, Place("a test"))
    assert isinstance(failed, InvalidCallbackAnswer)


def test_what_a_contract_leaves_out_is_closed(ctx):
    contract = bind_contract(Contract(), "a test", None)
    told = SourceTimedOut(callback_data(50_000), None, None)
    failed = process(ctx, CallbackType.TIMEOUT, told.asked, contract.on_recv_packet, told, Place("a test"))
    same(failed, CallbackNotImplemented("Contract", "on_recv_packet"))
