"""Schedule of a link's comparisons with state, and of its search for missing events.

Both are counted in blocks; there is no clock.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, NamedTuple

from pyibc.relayer.blocks.checked import Cursor
from pyibc.relayer.blocks.feed import Rest
from pyibc.relayer.blocks.reader import BlockReader
from pyibc.relayer.blocks.search import BlockSearch
from pyibc.relayer.chain.endpoint import ChainEndpoint
from pyibc.relayer.errors import EndpointRefused, RelayerError
from pyibc.relayer.links.client_watch import ClientRefresh, ClientWatch
from pyibc.relayer.links.executor import Executor
from pyibc.relayer.links.reconcile import PacketKey, StateAnswer, StateComparison
from pyibc.relayer.metrics import Metrics
from pyibc.relayer.packets.backlog import Backlog
from pyibc.relayer.paths.path import SIDES, Side

MAX_REFUSALS = 3
"""Consecutive comparisons that a chain refuses before it counts as a chain without these queries."""

GLANCE = 5
"""Blocks searched first at a start; the first comparison searches more."""

SOON = 6
"""Blocks of both chains before a suspected difference is checked, or an idle link is compared again.

The interval of an idle link grows by `GROWTH` with each comparison that finds nothing, up to
`Intervals.every`.
"""
GROWTH = 4
"""Factor by which the interval of an idle link grows."""
SPREAD = 4
"""Fraction (a quarter) of an interval by which links differ, so that they do not all compare at once."""


class Intervals(NamedTuple):
    """Interval between comparisons, and length of a search."""

    every: int  # maximum number of blocks of both chains between two comparisons
    search_blocks: int  # blocks of a chain that `search` reads
    spread: int = 0  # any number; links with different ones compare at different times


class Reconciler:
    """Keeps the backlog of a link consistent with the states of both chains."""

    def __init__(
        self,
        backlog: Backlog,
        endpoints: tuple[ChainEndpoint, ChainEndpoint],
        metrics: Metrics,
        intervals: Intervals,
        executor: Executor | None = None,
    ) -> None:
        """Query nothing before `check`.

        Args:
            backlog: built from blocks; corrected.
            endpoints: both chains.
            metrics: count comparisons and corrections.
            intervals: frequency of comparisons and length of searches.
            executor: queries states and old blocks concurrently with the caller; None: the caller waits.
        """
        self._backlog = backlog
        self._searches = BlockSearch(endpoints[0], executor), BlockSearch(endpoints[1], executor)
        self._comparison = StateComparison(backlog, endpoints, self._searches)
        self._metrics = metrics
        self._intervals = intervals
        self._executor = executor
        self._querying: Future[list[StateAnswer]] | None = None  # the states of both chains
        self._checked_at: int | None = None  # number of blocks read at the last comparison
        self._idle_blocks = SOON  # interval between two comparisons while the link is idle
        self._queried_at = 0  # number of blocks read when the current comparison began
        self._unreadable = self._breaks = 0
        self._refusals = 0
        self.is_suspect = True
        """True if the backlog may differ from state."""

    @property
    def is_querying(self) -> bool:
        """Return whether a comparison has begun and its queries are not answered yet."""
        return self._querying is not None

    @property
    def reading(self) -> list[Future[Any]]:
        """Queries in flight: states for `check`, and blocks for `search`."""
        querying = [self._querying] if self._querying is not None and not self._querying.done() else []
        return [*querying, *[each for search in self._searches for each in search.reading]]

    @property
    def is_known(self) -> bool:
        """Return whether a comparison has succeeded."""
        return self._checked_at is not None

    def suspect(self) -> None:
        """Note that the backlog may differ from state, so that the next comparison comes soon."""
        self.is_suspect = True
        self._idle_blocks = SOON

    def relays(self) -> None:
        """Note that packets are relayed: once the link is idle, the next comparison comes soon."""
        self._idle_blocks = SOON

    @property
    def is_settled(self) -> bool:
        """Return whether the last comparison has succeeded, nothing is suspected, and no event is missing."""
        is_known = self.is_known and not self.is_suspect and not self.is_querying
        return is_known and not self._is_missing

    @property
    def _is_missing(self) -> bool:
        return any(search.wanted for search in self._searches)

    def blocks_left(self) -> int:
        """Return the number of blocks of both chains until an idle link is compared; at most 0: it is due."""
        if self._checked_at is None or self.is_suspect or self._querying is not None:
            return 0
        return self._checked_at + self._idle_interval() - self._metrics.blocks

    def _idle_interval(self) -> int:
        share = self._idle_blocks // SPREAD
        # guard: idle-links-compare-all-at-once drop:spread
        #   test_idle_links_compare_at_different_times
        return self._idle_blocks - (self._intervals.spread % share if share > 1 else 0)

    def is_due(self, *, idle: bool = False) -> bool:
        """Return whether to compare now; `idle`: the link has nothing else to do."""
        if self._backlog.unreadable > self._unreadable:
            self._unreadable = self._backlog.unreadable
            self.suspect()
        breaks = self._metrics.restarts + self._metrics.skipped
        if self._checked_at is None or breaks > self._breaks:
            self._breaks = breaks
            self._checked_at = None  # until a comparison succeeds
            return True
        # guard: a-comparison-is-forgotten-while-it-is-asked drop
        #   test_a_comparison_for_a_doubt_is_not_forgotten_while_it_is_asked
        if self._querying is not None:
            return self._querying.done()
        since = self._metrics.blocks - self._checked_at
        if self.is_suspect:
            return since >= SOON
        return since >= (self._idle_interval() if idle else self._intervals.every)

    def check(self) -> set[PacketKey] | None:
        """Compare the backlog with state, correct it, and note which events are missing.

        After the first comparison the states may be queried concurrently: then a call starts the queries
        (`is_querying`), and a call after their answers compares.

        Returns:
            Packets that were corrected or found missing; None if a chain does not serve the queries.

        Raises:
            EndpointRefused: a chain refuses the queries; it may answer the next time.
            EndpointUnavailable, MalformedAnswer: a chain does not answer, or its answer cannot be decoded.
        """
        try:
            with self._metrics.part("reconcile"):
                found = self._compared()
        except RelayerError:
            self.suspect()
            raise
        if self.is_querying:
            return set()
        # guard: doubts-are-answered-by-what-was-asked-before {=> self._checked_at, self._refusals,
        #   self.is_suspect = (self._queried_at, 0, False)}
        #   test_what_is_doubted_while_states_are_asked_is_looked_into_again
        self._checked_at, self._refusals = self._queried_at, 0
        longer = min(GROWTH * self._idle_blocks, max(SOON, self._intervals.every))
        # guard: an-idle-link-compares-for-ever-as-often {longer => SOON}
        #   test_an_idle_link_compares_less_and_less_often
        self._idle_blocks = SOON if found or self._is_missing else longer
        self._metrics.reconciled += found is not None
        self._metrics.corrected += len(found or ())
        return found

    def begin(self, cursors: tuple[Cursor, Cursor]) -> bool:
        """Compare for the first time, and search the blocks just below the cursors.

        Returns:
            Whether the chains serve the queries.

        Raises:
            EndpointUnavailable, MalformedAnswer: a chain does not answer, or its answer cannot be decoded.
        """
        found: set[PacketKey] | None = None
        for _ in range(MAX_REFUSALS):
            with suppress(EndpointRefused):
                found = self._run()
                break
        self.suspect()
        for side in SIDES:
            self._searches[side].scan(cursors[side].height, min(self._intervals.search_blocks, GLANCE))
        return found is not None

    def _compared(self) -> set[PacketKey] | None:
        # guard: h240-states-are-waited-for test_h240_a_round_does_not_wait_for_states
        if self._executor is not None and self.is_known:
            return self._run_concurrently(self._executor)
        self._querying = None  # its answers are from before a break in the blocks
        return self._run()

    def _run_concurrently(self, executor: Executor) -> set[PacketKey] | None:
        """Query both states concurrently with the caller, and compare once they are answered."""
        querying, self._querying = self._querying, None
        if querying is None:
            self._begin_query()
            querying = executor.submit(self._comparison.prepare())
        if not querying.done():
            self._querying = querying
            return None
        return self._count_refusals(lambda: self._comparison.apply(querying.result()))

    def _begin_query(self) -> None:
        """Note the start of a comparison: differences suspected later need another one."""
        self._queried_at, self.is_suspect = self._metrics.blocks, False

    def _run(self) -> set[PacketKey] | None:
        self._begin_query()
        return self._count_refusals(self._comparison.run)

    def _count_refusals(self, compare: Callable[[], set[PacketKey]]) -> set[PacketKey] | None:
        try:
            return compare()
        except EndpointRefused:
            self._refusals += 1
            if self._refusals < MAX_REFUSALS:
                raise
            return None

    def search(self, cursors: tuple[Cursor, Cursor]) -> bool:
        """Search some blocks for missing events; return whether any was found, or blocks are left to search.

        Raises:
            EndpointUnavailable, MalformedAnswer: a chain does not answer, or its answer is wrong; the next
                call continues there.
        """
        before = sum(each.found for each in self._searches)
        with self._metrics.part("search"):
            try:
                most = self._intervals.search_blocks
                left = [self._searches[side].step(cursors[side].height, most) for side in SIDES]
                return any(left) or sum(each.found for each in self._searches) > before
            finally:
                self._metrics.searched = sum(each.read for each in self._searches)
                self._metrics.wanted = sum(each.wanted for each in self._searches)


# -- rest of an idle link: the blocks and times that end it


def rest_of(
    reader: BlockReader,
    reconciler: Reconciler,
    watch: ClientWatch | None,
    refreshes: Sequence[ClientRefresh],
) -> tuple[Rest, Rest]:
    """Return what an idle link waits for on both chains.

    It rests at most until its next comparison with state, the refresh of a client, or an upgrade. Each chain
    makes about half of the blocks that are left until the comparison.
    """
    blocks = max(1, reconciler.blocks_left() // 2 + 1)

    def rest(side: Side) -> Rest:
        cursor = reader.cursors[side]
        upgrade = 0 if watch is None else watch.next_height(side)
        latest = cursor.height + blocks
        latest = min(latest, upgrade) if upgrade > cursor.height else latest
        return Rest(cursor, reader.names(side), latest, refreshes[side].next_ns)

    return rest(0), rest(1)
