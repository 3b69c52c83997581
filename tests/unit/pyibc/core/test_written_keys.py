"""The order of a block's writes: right after any steps, and no work for what is not walked over."""

import gc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyibc.core.host import overlay
from pyibc.core.host.overlay import BlockContext
from tests.sampling import rounds

KEYS = st.binary(min_size=1, max_size=2)
BOUNDS = st.tuples(st.binary(max_size=2), st.none() | st.binary(max_size=2))


class Committed(dict):
    """A committed store."""

    def iterate(self, start, end):
        yield from within(self, start, end)


def within(entries, start, end):
    return [(k, v) for k, v in sorted(entries.items()) if start <= k and (end is None or k < end)]


def block(entries=()):
    return BlockContext("chain-7", 12, 1, {"ibc": Committed(entries)})


LEAF = st.one_of(
    st.tuples(st.just("set"), KEYS, st.binary(max_size=2)),
    st.tuples(st.just("delete"), KEYS),
    st.tuples(st.just("iterate"), BOUNDS),
    st.tuples(st.just("begin"), BOUNDS, st.integers(0, 3)),
    st.tuples(st.just("go on"), st.integers(0, 3), st.integers(0, 3)),
    st.just(("end transaction",)),
)
STEPS = st.recursive(
    st.lists(LEAF, max_size=10),
    lambda steps: st.lists(LEAF | st.tuples(st.just("branch"), steps, st.booleans()), max_size=10),
    max_leaves=40,
)


class Machine:
    """A store beside a plain dictionary, and walks that are under way beside what they have to show."""

    def __init__(self, entries):
        self.ctx, self.model, self.walks, self.deep = block(entries), dict(entries), {}, 0

    def run(self, steps):
        for name, *arguments in steps:
            getattr(self, name.replace(" ", "_"))(*arguments)

    def set(self, key, value):
        self.ctx.ibc.set(key, value)
        self.model[key] = value

    def delete(self, key):
        self.ctx.ibc.delete(key)
        self.model.pop(key, None)

    def iterate(self, bounds):
        assert list(self.ctx.ibc.iterate(*bounds)) == within(self.model, *bounds)

    def begin(self, bounds, place):
        self.walks[place] = (self.ctx.ibc.iterate(*bounds), iter(within(self.model, *bounds)))

    def go_on(self, place, count):
        ours, theirs = self.walks.get(place, (iter(()), iter(())))
        assert [next(ours, None) for _ in range(count)] == [next(theirs, None) for _ in range(count)]

    def end_transaction(self):
        if not self.deep:
            self.ctx.take_events()

    def branch(self, steps, kept):
        before, self.deep = dict(self.model), self.deep + 1
        with self.ctx.branch() as under_way:
            self.run(steps)
            if not kept:
                under_way.discard()
                self.model = before
        self.deep -= 1


@settings(max_examples=rounds(75, 300), deadline=None)
@given(st.dictionaries(KEYS, st.binary(max_size=2), max_size=6), STEPS)
def test_any_steps_leave_the_keys_in_order(entries, steps):
    machine = Machine(entries)
    machine.run(steps)
    machine.iterate((b"", None))
    for place in range(4):
        machine.go_on(place, 50)


class Key(bytes):
    """A key that counts how often it is compared."""

    compared = 0

    def _count(self, how, other):
        Key.compared += 1
        return getattr(bytes, how)(self, other)

    def __lt__(self, other):
        return self._count("__lt__", other)

    def __gt__(self, other):
        return self._count("__gt__", other)

    def __le__(self, other):
        return self._count("__le__", other)

    def __ge__(self, other):
        return self._count("__ge__", other)


@pytest.fixture
def counting_keys(monkeypatch):
    """Lets stores take `Key`, which they refuse as they refuse every class but bytes."""
    monkeypatch.setattr(
        overlay, "type", lambda held: bytes if isinstance(held, Key) else type(held), raising=False
    )


def comparisons(action):
    before = Key.compared
    action()
    return Key.compared - before


def test_h71_a_range_costs_what_is_in_it_whatever_else_was_written(counting_keys):
    """A block with much in it, then what an update of a client does: write, look, write, look."""
    costs = {}
    for unrelated in (100, 50_000):
        ctx = block()
        for number in range(unrelated):
            ctx.ibc.set(Key(b"other/%08d" % number), b"")
        list(ctx.ibc.iterate(b"mine/", b"mine0"))  # sorts what was written so far: that is paid once

        def update(ctx=ctx):
            for number in range(5):
                ctx.ibc.set(Key(b"mine/%d" % number), b"x")
                assert next(ctx.ibc.iterate(b"mine/", b"mine0")) == (b"mine/0", b"x")

        costs[unrelated] = comparisons(update)
    assert costs[50_000] < costs[100] + 5 * 4 * 10  # ten more levels to search, not fifty thousand keys


def test_h71_an_undone_transaction_leaves_nothing_to_walk_over(counting_keys):
    """Neither in what is compared nor in gas, whether the keys were in order already or not."""
    for walked in (False, True):
        ctx = block()
        ctx.ibc.set(b"a", b"1")
        with ctx.branch() as under_way:
            for number in range(2_000):
                ctx.ibc.set(Key(b"b%d" % number), b"")
            if walked:
                next(ctx.ibc.iterate(b"", None))
            under_way.discard()
        before = ctx.gas.used
        assert comparisons(lambda ctx=ctx: list(ctx.ibc.iterate(b"", None))) == 0
        assert ctx.gas.used - before == 2 * 30 + 3 * 2


def test_h71_the_first_of_many_costs_one(counting_keys):
    ctx = block()
    for number in range(20_000):
        ctx.ibc.set(Key(b"%08d" % number), b"")
    next(ctx.ibc.iterate(b"", None))
    before = ctx.gas.used
    assert comparisons(lambda: [next(ctx.ibc.iterate(b"", None)) for _ in range(100)]) < 100 * 40
    assert ctx.gas.used - before == 100 * (30 + 3 * 8)


def test_d32_a_walk_that_nobody_follows_any_more_is_forgotten():
    ctx = block({b"a": b"1"})
    ctx.ibc.set(b"b", b"2")
    for _ in range(10):
        next(ctx.ibc.iterate(b"", None))
    left = ctx.ibc.iterate(b"", None)
    gc.collect()
    assert len(ctx.ibc._walks) == 1
    ctx.ibc.set(b"c", b"3")
    assert not ctx.ibc._walks
    assert list(left) == [(b"a", b"1"), (b"b", b"2")]


@pytest.mark.parametrize("walked", [False, True])
def test_a_simulation_walks_over_what_it_took_over(walked):
    pending, own = block({b"a": b"1"}), block({b"a": b"1"})
    pending.ibc.set(b"c", b"3")
    pending.ibc.delete(b"a")
    if walked:
        list(pending.ibc.iterate(b"", None))
    own.ibc.adopt(pending.ibc)
    own.ibc.set(b"b", b"2")
    assert list(own.ibc.iterate(b"", None)) == [(b"b", b"2"), (b"c", b"3")]
    assert list(pending.ibc.iterate(b"", None)) == [(b"c", b"3")]
