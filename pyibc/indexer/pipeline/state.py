"""Observations about chains: ranges of blocks, ends of paths, facts and compared packets.

Each batch appends its new ones to the table `observations`. They are few, so a process reads them with its
first batch, and then keeps them in memory: a stream has one writer. A batch that fails drops them.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, Self

from pyibc.indexer.blocks.block import ChainKey
from pyibc.indexer.blocks.coverage import NONE, Heights
from pyibc.indexer.bronze.records import path_id
from pyibc.indexer.chains.ends import path_of
from pyibc.indexer.chains.evidence import Evidence
from pyibc.indexer.events.packet_facts import End, Path
from pyibc.indexer.pipeline.lake import Batch, Lake, rows_in
from pyibc.indexer.pipeline.tables import (
    FACT,
    OBSERVATIONS,
    PROBLEMS,
    ROUTES,
    BlockRange,
    Observation,
    PathEnd,
    Vote,
)

FACT_NAMES = [name for name in FACT if name != "height"]
_FULL = 4  # times the rows that are needed, from which the table is written anew
_SMALL = 10_000  # rows up to which it is not

Facts = dict[tuple[Any, ...], int]  # chain, incarnation and columns of a fact -> lowest height
Ranges = dict[tuple[ChainKey, bool | None], Heights]  # by chain and `BlockRange.whole`
Times = tuple[int | None, int | None]  # earliest and latest block time
Votes = dict[tuple[int, int, int], tuple[int, int]]  # path, both ends -> agreeing, compared packets


class Compared(NamedTuple):
    """Comparison of the packets of chains that may continue each other."""

    groups: list[list[str]]  # chains, ordered by age
    limits: dict[int, int]  # highest sequence of the older chains, by path
    found: Evidence


class State:
    """Observations of all batches so far, at first of none, which the steps of a batch change."""

    def __init__(self) -> None:
        self.paths: dict[int, Path] = {}  # by `path_id`
        self.ends: dict[int, End] = {}  # their chains are texts of `ChainKey`
        self._colliding: dict[int, set[End]] = {}  # other ends with the same number
        self.facts: Facts = {}
        self.votes: Votes = {}
        self.ranges: Ranges = {}
        self.times: dict[ChainKey, Times] = {}
        self.timed: dict[ChainKey, tuple[int, int]] = {}  # lowest and highest height of blocks with a time
        self.touched: set[int] = set()  # ends with events in the batch, or in blocks that it replaced
        self.compared: Compared | None = None
        self.has_hours = False  # whether the table `hours` has all batches so far
        self.chains: list[tuple[Any, ...]] = []  # rows that were written last; at first not known
        self.moving: dict[str, list[int | None]] = {}  # last blocks and progress by route, likewise
        self.routes: dict[str, tuple[Any, ...]] = {}  # rows of the table by key
        self._new: list[Observation] = []  # of the batch
        self.damaged = set[str]()  # files with problems that are not of a block that is kept
        self._rows = 0  # of the table

    @classmethod
    def read(cls, lake: Lake, batch: Batch) -> Self:
        """Read the tables, without what an earlier attempt at the batch told."""
        state = cls()
        state.routes = {row.route: tuple(row) for row in rows_in(lake, ROUTES)}
        state.add_damaged(lake)
        rows = rows_in(lake, OBSERVATIONS)
        known = [row for row in rows if row.batch != batch.name]
        state._take(known)
        # After an earlier attempt at the batch, Delta would take its rows for written.
        state._rows = len(rows) if len(known) == len(rows) else 0
        return state

    @property
    def keys(self) -> list[ChainKey]:
        """All chains, in order, also those with ends or facts alone; unreadable lines alone are no chain."""
        found = {key for key, whole in self.ranges if whole is not None}
        found |= {ChainKey.parsed(chain) for chain in {end.chain for end in self.ends.values()}}
        return sorted(found | {ChainKey(chain, incarnation or "") for chain, incarnation, *_ in self.facts})

    def all_ends(self) -> Iterator[tuple[int, End]]:
        """Yield all ends with their numbers, also those that have the number of another one."""
        yield from self.ends.items()
        for number, others in self._colliding.items():
            yield from ((number, end) for end in sorted(others, key=repr))

    def add_damaged(self, lake: Lake, where: str = "TRUE") -> None:
        """Add the files with such problems."""
        query = f"SELECT DISTINCT file FROM {lake.at(PROBLEMS)} WHERE tx IS NULL AND {where}"
        self.damaged |= {row.file for row in lake.rows(query)}

    def learn(self, rows: Iterable[Observation]) -> None:
        """Add what a batch tells, and keep what is new of it for `write`."""
        self._new.extend(self._take(rows))

    def write(self, lake: Lake, batch: Batch) -> None:
        """Append what is new in a batch to the table."""
        if self._new:
            rows = [(*row, batch.name) for row in self._new]
            lake.table("told", OBSERVATIONS.typed, rows)
            lake.append(OBSERVATIONS, "SELECT * FROM told", batch.writer, batch.number)
        self._new.clear()

    def _take(self, rows: Iterable[Any]) -> list[Any]:
        """Add rows; return those that say something new."""
        new, ranges = list[Any](), defaultdict[tuple[ChainKey, bool | None], list[tuple[int, int]]](list)
        for row in rows:
            key = key_of(row)
            if row.blocks is not None:
                ranges[key, row.blocks.whole].append((row.blocks.first, row.blocks.last))
                self._add_times(key, row.blocks)
                new.append(row)
            elif (
                (row.votes is not None and self._add_votes(row.votes))
                or (row.path_end is not None and self._add_end(key, row.path_end))
                or (row.fact is not None and self._add_fact(key, row.fact))
            ):
                new.append(row)
        for place, some in ranges.items():
            self.ranges[place] = self.ranges.get(place, NONE) | Heights.spanning(some)
        return new

    def _add_end(self, key: ChainKey, row: Any) -> bool:
        path = (row.protocol, row.src_port, row.src_channel, row.dst_port, row.dst_channel)
        end = End(str(key), row.receiving, *path)
        known = self.ends.setdefault(row.end_id, end)
        self.paths.setdefault(row.path_id, path)
        if known != end:
            others = self._colliding.setdefault(row.end_id, set())
            if end not in others:
                others.add(end)
                return True
        return known is end

    def _add_fact(self, key: ChainKey, row: Any) -> bool:
        """Add a fact; return whether it is new or was known only of a later block."""
        fact = (key.chain_id, key.incarnation or None, *(getattr(row, name) for name in FACT_NAMES))
        known = self.facts.get(fact)
        if known is not None and known <= row.height:
            return False
        self.facts[fact] = row.height
        return True

    def _add_votes(self, row: Any) -> bool:
        key = (row.path_id, row.sending_end, row.receiving_end)
        agreeing, compared = self.votes.get(key, (0, 0))
        self.votes[key] = (agreeing + row.agreeing, compared + row.compared)
        return True

    def _add_times(self, key: ChainKey, blocks: Any) -> None:
        times: Times = (blocks.first_ns, blocks.last_ns)
        if blocks.first_ns is not None:
            first, last = self.timed.get(key, (blocks.first, blocks.last))
            self.timed[key] = (min(first, blocks.first), max(last, blocks.last))
        pairs = zip((min, max), self.times.get(key, (None, None)), times, strict=True)
        first, last = (
            choose(known) if (known := [time for time in (one, other) if time is not None]) else None
            for choose, one, other in pairs
        )
        self.times[key] = (first, last)

    def compact(self, lake: Lake) -> None:
        """Write the table anew if most of its rows are not needed: ranges that join, votes that add up."""
        needed = list(self._needed()) if self._rows > _SMALL else []
        if 0 < len(needed) * _FULL < self._rows:
            lake.replace(OBSERVATIONS, [(*row, "") for row in needed])

    def _needed(self) -> Iterator[Observation]:
        for (key, whole), heights in self.ranges.items():
            untimed = heights - Heights.spanning([self.timed[key]]) if key in self.timed else heights
            for some, times in ((heights - untimed, self.times[key]), (untimed, (None, None))):
                for first, last in some.ranges:
                    yield _of(key, blocks=BlockRange(first, last, *times, whole))
        for number, end in self.all_ends():
            path = path_of(end)
            yield _of(
                ChainKey.parsed(end.chain), path_end=PathEnd(number, path_id(path), end.receiving, *path)
            )
        for (chain, incarnation, *fact), height in self.facts.items():
            yield _of(ChainKey(chain, incarnation or ""), fact=(*fact, height))
        for ends, counts in self.votes.items():
            yield Observation(votes=Vote(*ends, *counts))


def key_of(row: Any) -> ChainKey:
    """Return the chain of a row."""
    return ChainKey(row.chain or "", row.incarnation or "")


def _of(key: ChainKey, **what: Any) -> Observation:
    return Observation(key.chain_id, key.incarnation or None, **what)
