"""Small tables of the pipeline in memory: ends, facts, votes, coverage and routes.

They are read once, with the first batch of a process, and then kept equal to the tables: a stream has one
writer. A batch that fails drops them.
"""

from collections import defaultdict
from typing import Any

from pyibc.indexer.coverage import Heights
from pyibc.indexer.lineage.incarnations import ChainKey
from pyibc.indexer.pipeline.delta import Lake
from pyibc.indexer.pipeline.silver import Batch
from pyibc.indexer.pipeline.tables import COVERAGE, ENDS, FACTS, ROUTES, VOTES

Ends = dict[int, tuple[ChainKey, bool, tuple[Any, ...]]]  # chain, whether it receives, path
Facts = dict[tuple[Any, ...], int]  # columns of a fact -> lowest height
Ranges = dict[tuple[ChainKey, bool], Heights]  # by chain and whether the blocks are whole
Votes = dict[tuple[int, int, int], tuple[int, int]]  # path, both ends -> agreeing, compared packets


class State:
    """Contents of the small tables before a batch, which its steps change."""

    def __init__(self, lake: Lake, batch: Batch) -> None:
        """Read the tables, without votes of the batch itself, which counts them again."""
        self.paths: dict[int, tuple[Any, ...]] = {}  # by `path_id`
        self.ends: Ends = {}
        self.facts: Facts = {}
        self.votes: Votes = {}
        self.ranges: Ranges = {}
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
            found[ChainKey(row.chain, row.incarnation or ""), row.whole].append((row.first, row.last))
        self.ranges = {key: Heights.spanning(some) for key, some in found.items()}

    def add_end(self, row: Any) -> bool:
        """Add an end; return whether it is new."""
        path = (row.protocol, row.src_port, row.src_channel, row.dst_port, row.dst_channel)
        new = row.end_id not in self.ends
        self.paths[row.path_id] = path
        self.ends[row.end_id] = (ChainKey(row.chain, row.incarnation or ""), row.receiving, path)
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
