"""Steps of a batch: blocks go through silver to gold, on whatever engine keeps the tables."""

from contextlib import ExitStack

from pyibc.indexer.chains.registry import NOTHING, Registry
from pyibc.indexer.pipeline.chains import update_chains, write_chains
from pyibc.indexer.pipeline.hours import are_current, write_hours
from pyibc.indexer.pipeline.lake import Batch, Lake, exists
from pyibc.indexer.pipeline.packets import (
    packets_of,
    replaced_paths,
    touched_events,
    wanted_events,
    write_packets,
)
from pyibc.indexer.pipeline.places import CHECKPOINT, leave_versions, names_for, stream_id
from pyibc.indexer.pipeline.restarts import told_apart
from pyibc.indexer.pipeline.routes import add_observed, add_votes, find_routes, write_routes
from pyibc.indexer.pipeline.silver import (
    Overview,
    accepted_overview,
    append_blocks,
    forget_damage,
    is_stored,
    number_parts,
    overview,
    use_stored,
)
from pyibc.indexer.pipeline.state import State
from pyibc.indexer.pipeline.tables import OPTIONAL, TABLES

MANY = 100_000
"""Number of blocks and packet events of a batch from which its new packets are appended.

A MERGE of fewer costs less than a commit for them and a MERGE of the others. Many are also read by column
from the silver tables, once they are stored, which costs less than to read all their columns from memory.
"""

MAINTAINED = 20
"""Number of batches after which small files are joined: each batch adds some, and each file costs a query."""


class Pipeline:
    """Processing of the batches of one stream.

    Args:
        writer: name of the stream, under which Delta remembers its batches; None: the id in its checkpoint. A
            stream with a new checkpoint counts its batches anew, so it must have another name.
        given: names and lineages of chains from the user, beside those among the inputs.
        is_new: whether the tables were created for it, so that its first batch need not read them.
    """

    def __init__(self, writer: str | None = None, given: Registry = NOTHING, *, is_new: bool = False) -> None:
        self._given = given
        self._writer = writer
        self._state: State | None = None  # None: to be read
        self._is_new = is_new
        self._is_first = True  # of this process, so that another one may have begun the batch

    def process(self, lake: Lake, number: int) -> None:
        """Take the blocks in the view `batch_given` through silver to gold.

        A batch that is repeated gives the same tables.
        """
        self._writer = self._writer or stream_id(f"{lake.url}/{CHECKPOINT}")
        batch = Batch(self._writer, number)
        lake.view("batch_read", "SELECT * FROM batch_given")
        seen = overview(lake)
        lake.expect(seen.weight)
        if self._is_new and number == 0:  # another process has not written a batch meanwhile
            self._state, self._is_first = State(), False
        self._is_new = False
        state, self._state = self._state or self._read(lake, batch), None
        with told_apart(lake, state, seen, batch) as is_changed:
            self._take(lake, state, overview(lake) if is_changed else seen, batch)
        if number % MAINTAINED == MAINTAINED - 1:
            for table in (*TABLES, *OPTIONAL):
                if exists(lake, table):
                    lake.maintain(table)
        leave_versions(lake)
        self._state = state

    def _read(self, lake: Lake, batch: Batch) -> State:
        state = State.read(lake, batch)
        state.compact(lake)
        state.has_hours = are_current(lake, batch.writer)
        return state

    def _take(self, lake: Lake, state: State, seen: Overview, batch: Batch) -> None:
        """Take a batch through silver to gold.

        What an earlier attempt at the batch stored counts, also if the inputs have changed meanwhile.
        """
        again, self._is_first = self._is_first and is_stored(lake, batch), False
        shared = again or seen.shares_heights(state.ranges)
        if state.damaged:
            forget_damage(lake, state.damaged, batch)
        if append_blocks(lake, batch, shared=shared, problems=seen.has_problems):
            state.add_damaged(lake, f"batch = '{batch.name}'")
        if again or seen.weight >= MANY:
            use_stored(lake, batch)
        state.learn((accepted_overview(lake, seen) if shared else seen).observations())
        is_known = add_observed(lake, state)
        earlier = shared or is_known  # batches may have events of the same packets
        parts = any(whole is False for _, whole in state.ranges)  # blocks may be known in part
        if parts:
            number_parts(lake)
        with ExitStack() as kept:
            kept.enter_context(lake.kept("touched", packets_of(lake, batch, shared=shared)))
            kept.enter_context(touched_events(lake, batch, parts=parts, earlier=earlier))
            replaced = replaced_paths(lake, batch) if shared else set()
            add_votes(lake, state, replaced, batch)
            state.write(lake, batch)
            chains = update_chains(lake, state, names_for(lake, self._given))
            routes = find_routes(state, chains.joined, chains.tips)
            kept.enter_context(wanted_events(lake, routes, parts=parts))
            old = ["earlier_events"] if earlier else []
            if routes.moved_paths or routes.moved:
                old.append("other_packets")
            merges_all = shared or (bool(old) and (parts or seen.weight < MANY))
            vanish = bool(routes.moved_paths or replaced)
            write_packets(lake, routes, batch, old=None if merges_all else old, may_vanish=vanish)
            moved = bool(routes.moved_paths)
            write_hours(lake, batch, is_current=state.has_hours, shared=shared, moved=moved, parts=parts)
            state.has_hours = True
            write_chains(lake, state, chains)
            write_routes(lake, state, routes)
