"""What an application can do to a block, and that it is over with the call."""

from contextlib import suppress

import pytest

from pyibc.core.errors import InvalidEvent, LogicFault, OutOfGas
from pyibc.core.host.gas import READ_BYTE, READ_FLAT
from pyibc.core.host.overlay import BlockContext
from pyibc.isolation.scoped_context import Grant, confined, opened, scoped_call


class Empty:
    def get(self, key):
        return None

    def iterate(self, start, end):
        return iter(())


class Text(str):
    __slots__ = ()


class Raw(bytes):
    __slots__ = ()


class Number(int):
    __slots__ = ()


OWN = Grant(frozenset({"own"}), reserved_events=("protocol_",))


@pytest.fixture
def block():
    ctx = BlockContext("chain-4", 7, 99, {name: Empty() for name in ("ibc", "own", "bank")}, b"v", b"h")
    ctx.store("bank").set(b"coins", b"5")
    ctx.ibc.set(b"end", b"open")
    return ctx


def state(block):
    return {name: block.writes(name) for name in ("ibc", "own", "bank")}, list(block.events)


def test_it_tells_what_the_block_says(block):
    with scoped_call(block, OWN) as ctx:
        assert (ctx.chain_id, ctx.height, ctx.time_ns) == ("chain-4", (4, 7), 99)
        assert (ctx.next_validators_hash, ctx.app_hash) == (b"v", b"h")
        assert ctx.store("bank").get(b"coins") == ctx.reader("bank").get(b"coins") == b"5"
        assert list(ctx.ibc.iterate(b"a", None)) == [(b"end", b"open")]
        assert ctx.ibc.has(b"end")
        assert ctx.store("own") is ctx.reader("own")


def test_it_writes_its_own_stores_and_events(block):
    with scoped_call(block, OWN) as ctx:
        ctx.store("own").set(b"a", b"1")
        ctx.store("own").set(b"b", b"2")
        ctx.store("own").delete(b"b")
        ctx.emit(("told", (("key", "\u00e9"),)))
    assert block.writes("own") == [(b"a", b"1"), (b"b", None)]
    assert block.events == [("told", (("key", "\u00e9"),))]


@pytest.mark.parametrize(
    "act",
    [
        lambda ctx: ctx.ibc.set(b"end", b"closed"),
        lambda ctx: ctx.ibc.delete(b"end"),
        lambda ctx: ctx.store("ibc").set(b"end", b"closed"),
        lambda ctx: ctx.reader("ibc").set(b"end", b"closed"),
        lambda ctx: ctx.store("bank").set(b"coins", b"9"),
        lambda ctx: ctx.reader("bank").delete(b"coins"),
        lambda ctx: ctx.store("nowhere"),
        lambda ctx: ctx.store("own").set(bytearray(b"k"), b"v"),
        lambda ctx: ctx.store("own").set(b"k", bytearray(b"v")),
        lambda ctx: ctx.store("own").set(b"k", memoryview(b"v")),
        lambda ctx: ctx.store("own").set(b"k", Raw(b"v")),
        lambda ctx: ctx.store("own").delete(Raw(b"k")),
        lambda ctx: ctx.store("own").get(Raw(b"k")),
        lambda ctx: ctx.ibc.has(Raw(b"k")),
        lambda ctx: ctx.ibc.iterate(Raw(b"k"), None),
        lambda ctx: ctx.ibc.iterate(b"a", Raw(b"k")),
        lambda ctx: ctx.emit(("protocol_send", ())),
        lambda ctx: ctx.gas.consume(-1),
        lambda ctx: ctx.gas.consume(Number(1)),
        lambda ctx: ctx.gas.consume(True),
        lambda ctx: ctx.branch().discard(),
    ],
)
def test_h82_a_block_is_not_the_applications(block, act):
    before, used = state(block), block.gas.used
    with scoped_call(block, OWN) as ctx, pytest.raises(LogicFault):
        act(ctx)
    assert (state(block), block.gas.used) == (before, used)


@pytest.mark.parametrize(
    "event",
    [
        ["told", ()],
        ("told", []),
        ("told", (["key", "value"],)),
        ("told", (("key", "value", "more"),)),
        (Text("told"), ()),
        ("told", (("key", Text("value")),)),
        ("told", (("key", 5),)),
        ("told", (("key", "\ud800"),)),
    ],
)
def test_h82_what_is_no_event_is_not_emitted(block, event):
    before, used = state(block), block.gas.used
    with scoped_call(block, OWN) as ctx, pytest.raises(InvalidEvent):
        ctx.emit(event)
    assert (state(block), block.gas.used) == (before, used)


@pytest.mark.parametrize("name", ["undo", "events", "writes", "take_events", "_stores"])
def test_nothing_of_the_blocks_own_is_there(block, name):
    with scoped_call(block, Grant(frozenset())) as ctx:
        assert hasattr(block, name)
        assert not (hasattr(ctx, name) and getattr(ctx, name))
        for part in (ctx.store("own"), ctx.gas, ctx.branch()):
            assert not hasattr(part, name)


def test_a_meter_can_be_charged_and_asked(block):
    block.gas.reset(READ_FLAT + READ_BYTE * 3 + 10)
    with scoped_call(block, OWN) as ctx:
        ctx.store("own").get(b"key")
        assert ctx.gas.remaining == 10
        ctx.gas.consume(4)
        assert ctx.gas.remaining == block.gas.remaining == 6
        with pytest.raises(OutOfGas):
            ctx.gas.consume(7)
        for name in ("limit", "used", "remaining", "reset"):
            with pytest.raises(AttributeError):
                object.__setattr__(ctx.gas, name, 0)


def test_h82_all_is_over_with_the_call(block):
    with scoped_call(block, OWN) as ctx:
        store, gas, branch = ctx.store("own"), ctx.gas, ctx.branch()
        store.set(b"a", b"1")
        store.set(b"b", b"2")
        entries = store.iterate(b"a", None)
        assert next(entries) == (b"a", b"1")
        branch.__enter__()
        store.set(b"c", b"3")
    before, used = state(block), block.gas.used
    for late in (
        *(lambda: ctx.height, lambda: ctx.store("own"), lambda: ctx.reader("ibc"), lambda: ctx.ibc),
        *(lambda: ctx.emit(("late", ())), lambda: ctx.gas, ctx.branch, lambda: opened(ctx)),
        *(lambda: store.get(b"a"), lambda: store.has(b"a"), lambda: store.set(b"a", b"2")),
        *(lambda: store.delete(b"a"), lambda: store.iterate(b"a", None), lambda: next(entries)),
        *(
            lambda: gas.remaining,
            lambda: gas.consume(1),
            branch.discard,
            branch.__enter__,
        ),
    ):
        with pytest.raises(LogicFault, match="after its call"):
            late()
    branch.__exit__(ValueError, ValueError(), None)
    assert (state(block), block.gas.used) == (before, used)


def test_h82_it_is_over_however_the_call_ends(block):
    kept = []

    def fails(ctx, told):
        kept.append(ctx)
        raise KeyError(told)

    with pytest.raises(KeyError, match="told"):
        confined(fails, OWN)(block, "told")
    with pytest.raises(LogicFault):
        kept[0].emit(("late", ()))
    assert block.events == []


def test_below_another_application_it_is_its_own(block):
    """A middleware's right is not that of the application below, nor the other way round."""
    other = Grant(frozenset({"bank"}))

    def below(ctx, _):
        ctx.store("bank").set(b"coins", b"6")
        with pytest.raises(LogicFault):
            ctx.store("own").set(b"a", b"1")

    def above(ctx, told):
        confined(below, other)(ctx, told)
        ctx.store("own").set(b"a", b"2")
        with pytest.raises(LogicFault):
            ctx.store("bank").set(b"coins", b"7")

    confined(above, OWN)(block, None)
    assert (block.writes("own"), block.writes("bank")) == ([(b"a", b"2")], [(b"coins", b"6")])


def test_a_branch_ends_where_it_is_left(block):
    with scoped_call(block, OWN) as ctx:
        store = ctx.store("own")
        with suppress(KeyError), ctx.branch():
            store.set(b"gone", b"x")
            raise KeyError
        with ctx.branch() as branch:
            store.set(b"gone", b"x")
            ctx.emit(("gone", ()))
            assert branch.discard() == (("gone", ()),)
        store.set(b"kept", b"x")
        with pytest.raises(LogicFault):
            branch.discard()
    assert (block.writes("own"), block.events) == ([(b"kept", b"x")], [])


def test_what_is_not_confined_is_opened_already(block):
    assert opened(block) is block
    with scoped_call(block, OWN) as ctx:
        assert opened(ctx) is block
