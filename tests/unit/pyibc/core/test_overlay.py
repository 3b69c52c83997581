"""A block under way: whatever is done to it, it equals dictionaries that are copied at each branch."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyibc.core.errors import LogicFault, OutOfGas
from pyibc.core.host.gas import (
    DELETE_COST,
    HAS_COST,
    ITER_NEXT_COST,
    READ_BYTE,
    READ_FLAT,
    WRITE_BYTE,
    WRITE_FLAT,
)
from pyibc.core.host.overlay import BlockContext
from tests.sampling import rounds

STORES = ("ibc", "bank")
KEYS = st.binary(min_size=1, max_size=2)
VALUES = st.binary(max_size=3)
START_NS = 1_700_000_000_000_000_000


class Committed:
    """A committed store in a dictionary, which counts the entries that were read in order."""

    def __init__(self, entries):
        self.entries = dict(entries)
        self.read = 0

    def get(self, key):
        return self.entries.get(key)

    def iterate(self, start, end):
        for key in sorted(self.entries):
            if start <= key and (end is None or key < end):
                self.read += 1
                yield key, self.entries[key]


def block(**stores):
    committed = {name: Committed(stores.get(name, {})) for name in STORES}
    return BlockContext("chain-7", 12, START_NS, committed)


class Refused(Exception):
    """Leaves a branch."""


def refuse():
    raise Refused


LEAF = st.one_of(
    st.tuples(st.just("set"), st.sampled_from(STORES), KEYS, VALUES),
    st.tuples(st.just("delete"), st.sampled_from(STORES), KEYS),
    st.tuples(st.just("emit"), st.sampled_from(["one", "two"])),
)
STEPS = st.recursive(
    st.lists(LEAF, max_size=6),
    lambda steps: st.lists(
        LEAF | st.tuples(st.just("branch"), steps, st.sampled_from(["keep", "raise", "discard"])), max_size=6
    ),
    max_leaves=25,
)


def apply(ctx, model, steps):
    """Does `steps` to a context and to its model (store -> entries, and the list of events)."""
    for step in steps:
        if step[0] == "set":
            ctx.store(step[1]).set(step[2], step[3])
            model[step[1]][step[2]] = step[3]
        elif step[0] == "delete":
            ctx.store(step[1]).delete(step[2])
            model[step[1]].pop(step[2], None)
        elif step[0] == "emit":
            ctx.emit((step[1], ()))
            model["events"].append((step[1], ()))
        else:
            branch(ctx, model, step[1], step[2])
        compare(ctx, model)


def branch(ctx, model, steps, end):
    before = {name: entries.copy() for name, entries in model.items()}
    try:
        with ctx.branch() as under_way:
            apply(ctx, model, steps)
            if end == "raise":
                refuse()
            if end == "discard":
                lost = under_way.discard()
                assert list(lost) == model["events"][len(before["events"]) :]
    except Refused:
        pass
    if end != "keep":
        model.update(before)


def compare(ctx, model):
    assert ctx.events == model["events"]
    for name in STORES:
        assert dict(ctx.store(name).iterate(b"", None)) == model[name]


@settings(max_examples=rounds(30, 120), deadline=None)
@given(
    ibc=st.dictionaries(KEYS, VALUES, max_size=5),
    bank=st.dictionaries(KEYS, VALUES, max_size=5),
    steps=STEPS,
    bounds=st.tuples(st.binary(max_size=2), st.none() | st.binary(max_size=2)),
)
def test_any_steps_equal_copied_dictionaries(ibc, bank, steps, bounds):
    ctx = block(ibc=ibc, bank=bank)
    model = {"ibc": dict(ibc), "bank": dict(bank), "events": []}
    apply(ctx, model, steps)
    start, end = bounds
    for name, before in (("ibc", ibc), ("bank", bank)):
        store, entries = ctx.store(name), model[name]
        for key in {*before, *entries, b"zz"}:
            assert store.get(key) == entries.get(key)
            assert store.has(key) == (key in entries)
        within = [(k, v) for k, v in sorted(entries.items()) if start <= k and (end is None or k < end)]
        assert list(store.iterate(start, end)) == within
        writes = ctx.writes(name)
        assert [key for key, _ in writes] == sorted({key for key, _ in writes})
        after = dict(before)
        for key, raw in writes:
            after.pop(key, None) if raw is None else after.update({key: raw})
        assert after == entries


def test_d31_an_error_leaves_no_trace():
    ctx = block(ibc={b"a": b"1"})

    def fail():
        with ctx.branch():
            ctx.ibc.set(b"a", b"2")
            ctx.ibc.set(b"b", b"3")
            ctx.emit(("event", ()))
            refuse()

    with pytest.raises(Refused):
        fail()
    assert (ctx.writes("ibc"), ctx.events, ctx.undo) == ([], [], [])


def test_d32_iteration_is_as_of_the_call():
    ctx = block(ibc={b"a": b"1", b"c": b"3"})
    ctx.ibc.set(b"b", b"2")
    entries = ctx.ibc.iterate(b"", None)
    ctx.ibc.set(b"bb", b"new")
    ctx.ibc.delete(b"c")
    assert next(entries) == (b"a", b"1")
    ctx.ibc.delete(b"b")
    assert list(entries) == [(b"b", b"2"), (b"c", b"3")]
    assert [key for key, _ in ctx.ibc.iterate(b"", None)] == [b"a", b"bb"]


def test_iteration_reads_no_further_than_asked():
    committed = Committed({b"%03d" % n: b"" for n in range(500)})
    ctx = BlockContext("chain-7", 1, START_NS, {"ibc": committed})
    ctx.ibc.set(b"0005", b"x")
    entries = ctx.ibc.iterate(b"", None)
    assert [next(entries)[0] for _ in range(3)] == [b"000", b"0005", b"001"]
    assert committed.read <= 4


def test_an_empty_key_is_refused():
    ctx = block()
    with pytest.raises(LogicFault):
        ctx.ibc.set(b"", b"x")
    assert ctx.writes("ibc") == []


def test_no_such_store():
    ctx = block()
    with pytest.raises(LogicFault, match="nowhere"):
        ctx.store("nowhere")
    with pytest.raises(LogicFault):
        ctx.reader("nowhere")


def test_take_events_ends_a_transaction():
    ctx = block()
    ctx.ibc.set(b"a", b"1")
    ctx.emit(("event", (("k", "v"),)))
    assert ctx.take_events() == (("event", (("k", "v"),)),)
    assert (ctx.events, ctx.undo, ctx.take_events()) == ([], [], ())
    assert ctx.writes("ibc") == [(b"a", b"1")]


def gas_of(ctx, action):
    before = ctx.gas.used
    action()
    return ctx.gas.used - before


def test_gas_is_the_sdks():
    ctx = block(ibc={b"key": b"value"})
    ibc = ctx.ibc
    assert gas_of(ctx, lambda: ibc.get(b"key")) == READ_FLAT + READ_BYTE * 8
    assert gas_of(ctx, lambda: ibc.get(b"none")) == READ_FLAT + READ_BYTE * 4
    assert gas_of(ctx, lambda: ibc.has(b"key")) == HAS_COST
    assert gas_of(ctx, lambda: ibc.set(b"k2", b"v")) == WRITE_FLAT + WRITE_BYTE * 3
    assert gas_of(ctx, lambda: list(ibc.iterate(b"", None))) == 3 * ITER_NEXT_COST + READ_BYTE * (8 + 3)
    assert gas_of(ctx, lambda: ibc.iterate(b"", None)) == ITER_NEXT_COST + READ_BYTE * 3  # k2: it is sought
    assert gas_of(ctx, lambda: ibc.iterate(b"z", None)) == ITER_NEXT_COST
    assert gas_of(ctx, lambda: ibc.delete(b"key")) == DELETE_COST


def test_h71_a_deletion_that_is_passed_over_costs_as_an_entry_does():
    ctx = block(ibc={b"a": b"value", b"d": b"4"})
    for key in (b"a", b"b", b"c"):  # one that was committed, two that nobody ever wrote
        ctx.ibc.delete(key)
    assert gas_of(ctx, lambda: list(ctx.ibc.iterate(b"", None))) == 5 * ITER_NEXT_COST + READ_BYTE * (3 + 2)
    ctx.gas.reset(2 * (ITER_NEXT_COST + READ_BYTE))
    with pytest.raises(OutOfGas):
        ctx.ibc.iterate(b"", None)


@pytest.mark.parametrize(
    "action",
    [
        lambda ibc: ibc.get(b"key"),
        lambda ibc: ibc.has(b"key"),
        lambda ibc: ibc.set(b"key", b"other"),
        lambda ibc: ibc.delete(b"key"),
        lambda ibc: list(ibc.iterate(b"", None)),
    ],
)
def test_what_runs_out_of_gas_changes_nothing(action):
    ctx = block(ibc={b"key": b"value"})
    ctx.gas.reset(10)
    with pytest.raises(OutOfGas):
        action(ctx.ibc)
    assert ctx.writes("ibc") == []
    ctx.gas.reset(10**6)
    assert ctx.ibc.get(b"key") == b"value"


def test_gas_is_not_given_back_by_a_branch():
    ctx = block()
    with ctx.branch() as under_way:
        ctx.ibc.set(b"a", b"1")
        under_way.discard()
    assert ctx.gas.used == WRITE_FLAT + WRITE_BYTE * 2
