"""Observations in memory: what is new, and when their table is written anew."""

from types import SimpleNamespace

import pytest

from pyibc.indexer.blocks.block import ChainKey
from pyibc.indexer.blocks.coverage import Heights
from pyibc.indexer.pipeline import state as states
from pyibc.indexer.pipeline.lake import Batch
from pyibc.indexer.pipeline.state import FACT_NAMES, State
from pyibc.indexer.pipeline.tables import FACT, OBSERVATIONS, BlockRange, Observation, PathEnd, Vote

BATCH = Batch("stream", 7)
END = PathEnd(11, 5, True, 1, "transfer", "channel-3", "wasm.x", "channel-70")
FACTS = {**dict.fromkeys(FACT_NAMES), "type": "client", "client": "07-tendermint-2"}


class Tables:
    """The table of observations, and no routes."""

    def __init__(self, rows=()):
        self.stored = [*rows]
        self.appended = []
        self.views = {}

    def at(self, table):
        return table.name

    def rows(self, query):
        return self.stored if OBSERVATIONS.name in query else []

    def table(self, name, _columns, rows):
        self.views[f"SELECT * FROM {name}"] = rows

    def append(self, table, query, writer, number):
        assert (table, writer, number) == (OBSERVATIONS, *BATCH)
        self.appended += self.views[query]

    def replace(self, table, rows):
        assert table is OBSERVATIONS
        self.stored = [stored(read(Observation(*row[:-1])), row[-1]) for row in rows]


def stored(row, batch="stream-0000000006"):
    return SimpleNamespace(**row._asdict(), batch=batch)


def read(row):
    """A row as a reader has it, with names for the columns of a fact."""
    return row._replace(fact=row.fact and SimpleNamespace(**dict(zip(FACT, row.fact, strict=True))))


def fact(height):
    return Observation("b-1", None, fact=SimpleNamespace(**FACTS, height=height))


def blocks(first, last, whole=True):
    return Observation("b-1", None, blocks=BlockRange(first, last, first * 10, last * 10, whole))


def test_only_what_is_new_is_written():
    known = [Observation("b-1", "00ff", path_end=END), fact(9)]
    tables = Tables(map(stored, known))
    state = State.read(tables, BATCH)
    vote = Observation(votes=Vote(5, 10, 11, 3, 4))
    other = Observation("b-1", "00ff", path_end=END._replace(end_id=12, receiving=False))
    state.learn([*known, fact(10), fact(8), other, vote, blocks(3, 4)])
    state.write(tables, BATCH)
    new = [fact(8), other, vote, blocks(3, 4)]
    assert [str(row) for row in tables.appended] == [str((*row, BATCH.name)) for row in new]
    state.write(tables, BATCH)
    assert len(tables.appended) == len(new)


def test_an_earlier_attempt_at_the_batch_does_not_count():
    vote = Observation(votes=Vote(5, 10, 11, 3, 4))
    state = State.read(
        Tables([stored(vote), stored(vote, BATCH.name), stored(blocks(1, 2), BATCH.name)]), BATCH
    )
    assert state.votes == {(5, 10, 11): (3, 4)}
    assert state.ranges == {}


@pytest.mark.parametrize("attempted", [False, True])
def test_a_table_whose_rows_are_mostly_not_needed_is_written_anew(monkeypatch, attempted):
    monkeypatch.setattr(states, "_SMALL", 30)
    rows = [stored(blocks(height, height)) for height in range(1, 40)]
    rows += [stored(Observation(votes=Vote(5, 10, 11, 1, height % 2))) for height in range(10)]
    rows += [stored(Observation("a-1", None, path_end=END)), stored(fact(9)), stored(fact(6))]
    rows += [stored(blocks(70, 70, whole=False))]
    rows += [stored(Observation("b-1", None, blocks=BlockRange(71, 95, None, None, False)))]
    rows += [stored(blocks(80, 80), BATCH.name)] if attempted else []
    tables = Tables(rows)
    before = State.read(tables, BATCH)
    before.compact(tables)
    assert len(tables.stored) == (len(rows) if attempted else 6)
    after = State.read(tables, BATCH)
    assert (after.votes, after.facts, after.ends) == (before.votes, before.facts, before.ends)
    assert after.ranges == before.ranges
    assert before.ranges[ChainKey("b-1"), True] == Heights(((1, 39),))
    assert after.times == before.times == {ChainKey("b-1"): (10, 700)}
    assert after.timed == before.timed == {ChainKey("b-1"): (1, 70)}


def test_a_small_table_is_kept():
    rows = [stored(blocks(height, height)) for height in range(1, 40)]
    tables = Tables(rows)
    State.read(tables, BATCH).compact(tables)
    assert tables.stored == rows
