"""Small tables of the pipeline in memory: ends, facts, votes, coverage, block times and routes.

They are read once, with the first batch of a process, and then kept equal to the tables: a stream has one
writer. A batch that fails drops them.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any, NamedTuple

from pyibc.indexer.bronze.records import path_id
from pyibc.indexer.coverage import Heights
from pyibc.indexer.ends import Path, path_of
from pyibc.indexer.lineage.evidence import Evidence
from pyibc.indexer.lineage.incarnations import ChainKey
from pyibc.indexer.pipeline.delta import Lake, sql_text
from pyibc.indexer.pipeline.silver import Batch
from pyibc.indexer.pipeline.tables import BLOCKS, CHAINS, COVERAGE, ENDS, FACTS, ROUTES, VOTES
from pyibc.indexer.segments.numbers import End

Facts = dict[tuple[Any, ...], int]  # columns of a fact -> lowest height
Ranges = dict[tuple[ChainKey, bool], Heights]  # by chain and whether the blocks are whole
Times = tuple[int | None, int | None]  # earliest and latest block time
Votes = dict[tuple[int, int, int], tuple[int, int]]  # path, both ends -> agreeing, compared packets


class Compared(NamedTuple):
    """Comparison of the packets of chains that may continue each other."""

    groups: list[list[str]]  # chains, ordered by age
    limits: dict[int, int]  # highest sequence of the older chains, by path
    found: Evidence


class State:
    """Contents of the small tables before a batch, which its steps change."""

    def __init__(self, lake: Lake, batch: Batch) -> None:
        """Read the tables, without votes of the batch itself, which counts them again."""
        self.paths: dict[int, Path] = {}  # by `path_id`
        self.ends: dict[int, End] = {}  # their chains are texts of `ChainKey`
        self.facts: Facts = {}
        self.votes: Votes = {}
        self.ranges: Ranges = {}
        self.times: dict[ChainKey, Times] = {}
        self.touched: set[int] = set()  # ends with events in the batch, or in blocks that it replaced
        self.compared: Compared | None = None
        self.chains: list[tuple[Any, ...]] = []  # rows that were written last; at first not known
        self.routes = {row.route: tuple(row) for row in lake.rows(ROUTES)}
        for row in lake.rows(ENDS):
            self.add_end(row)
        for row in lake.rows(FACTS):
            self.add_fact(row)
        for row in lake.rows(VOTES, f"batch <> '{batch.name}'"):
            self.add_vote(row)
        found: dict[tuple[ChainKey, bool], list[tuple[int, int]]] = defaultdict(list)
        for row in lake.rows(COVERAGE):
            found[key_of(row), row.whole].append((row.first, row.last))
        self.ranges = {key: Heights.spanning(some) for key, some in found.items()}
        self._read_times(lake)

    @property
    def keys(self) -> list[ChainKey]:
        """All chains, in order, those with ends or facts alone included."""
        found = {key for key, _ in self.ranges}
        found |= {ChainKey.parsed(chain) for chain in {end.chain for end in self.ends.values()}}
        return sorted(found | {ChainKey(chain, incarnation or "") for chain, incarnation, *_ in self.facts})

    def add_end(self, row: Any) -> bool:
        """Add an end; return whether it is new."""
        path = (row.protocol, row.src_port, row.src_channel, row.dst_port, row.dst_channel)
        new = row.end_id not in self.ends
        self.paths[row.path_id] = path
        self.ends[row.end_id] = End(str(key_of(row)), row.receiving, *path)
        return new

    def add_fact(self, row: Any) -> bool:
        """Add a fact; return whether it is new or was known only of a later block."""
        key = tuple(row[name] for name in FACTS.names if name != "height")
        known = self.facts.get(key)
        if known is not None and known <= row.height:
            return False
        self.facts[key] = row.height
        return True

    def add_vote(self, row: Any) -> None:
        """Add the changes of votes by a batch."""
        key = (row.path_id, row.sending_end, row.receiving_end)
        agreeing, compared = self.votes.get(key, (0, 0))
        self.votes[key] = (agreeing + row.agreeing, compared + row.compared)

    def add_times(self, key: ChainKey, times: Times) -> None:
        """Add the earliest and latest time of some blocks of a chain."""
        pairs = zip((min, max), self.times.get(key, (None, None)), times, strict=True)
        first, last = (
            choose(known) if (known := [time for time in (one, other) if time is not None]) else None
            for choose, one, other in pairs
        )
        self.times[key] = (first, last)

    def touch_paths(self, paths: set[int]) -> None:
        """Add the ends of paths to `touched`."""
        if paths:
            self.touched |= {number for number, end in self.ends.items() if path_id(path_of(end)) in paths}

    def _read_times(self, lake: Lake) -> None:
        """Read the times from `chains`, or from the blocks of a chain that has no row of its own there.

        Blocks that do not name their incarnation share a row with those that do, until several are known.
        """
        for row in lake.rows(CHAINS, "first_ns IS NOT NULL"):
            self.add_times(key_of(row, "chain_id"), (row.first_ns, row.last_ns))
        for chain, times in _times_in_blocks(lake, {key[0] for key in self.keys if key not in self.times}):
            self.times[chain] = times


def key_of(row: Any, chain: str = "chain") -> ChainKey:
    """Return the chain of a row; `chain` is the column with its id."""
    return ChainKey(row[chain], row.incarnation or "")


def _times_in_blocks(lake: Lake, chains: Iterable[str]) -> list[tuple[ChainKey, Times]]:
    listed = ", ".join(map(sql_text, sorted(chains)))
    if not listed:
        return []
    rows = lake.spark.sql(
        "SELECT chain, incarnation, min(time_ns) AS first_ns, max(time_ns) AS last_ns"
        f" FROM {lake.at(BLOCKS)} WHERE chain IN ({listed}) GROUP BY ALL"
    )
    return [(key_of(row), (row.first_ns, row.last_ns)) for row in rows.collect()]
