"""When a link holds what it knows against state, and how much it looks for at a time.

Both are counted in blocks: no clock.
"""

from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, NamedTuple

from ibc_relayer.ahead import Ahead
from ibc_relayer.backlog import Backlog
from ibc_relayer.block_search import BlockSearch
from ibc_relayer.checked_blocks import Cursor
from ibc_relayer.endpoint import ChainEndpoint
from ibc_relayer.errors import EndpointRefused, RelayerError
from ibc_relayer.metrics import Metrics
from ibc_relayer.path import SIDES
from ibc_relayer.reconcile import Answer, PacketKey, Reconciler

REFUSALS = 3
"""Comparisons in a row that a chain refuses, until it is taken for one that does not serve the queries."""

GLANCE = 5
"""Blocks read again at a start before anything else; the first comparison reads more."""

SOON = 6
"""Blocks of both chains after which a doubt is looked into, or an idle link looks again."""


class Intervals(NamedTuple):
    """How often a link looks at state, and how far it reads back."""

    every: int  # blocks of both chains between two comparisons, at most
    search_blocks: int  # blocks of a chain that `search` reads


class Truth:
    """What both chains' states say of a link's packets."""

    def __init__(
        self,
        backlog: Backlog,
        endpoints: tuple[ChainEndpoint, ChainEndpoint],
        metrics: Metrics,
        intervals: Intervals,
        ahead: Ahead | None = None,
    ) -> None:
        """Nothing is asked before `check`.

        Args:
            backlog: what the blocks told; corrected.
            endpoints: both chains.
            metrics: count what was done.
            intervals: how often to look, and how far.
            ahead: runs beside the caller what asks for a block of long ago.
        """
        self._backlog = backlog
        self._searches = BlockSearch(endpoints[0], ahead), BlockSearch(endpoints[1], ahead)
        self._reconciler = Reconciler(backlog, endpoints, self._searches)
        self._metrics = metrics
        self._intervals = intervals
        self._ahead = ahead
        self._asking: Future[list[Answer]] | None = None  # both states, beside us
        self._looked_at: int | None = None  # blocks read then
        self._asked_at = 0  # the same, of the comparison that has begun
        self._unreadable = self._breaks = 0
        self._refusals = 0
        self.is_doubtful = True
        """Whether something may be otherwise than the blocks told."""

    @property
    def is_asking(self) -> bool:
        """Whether a comparison has begun whose answers are not there yet."""
        return self._asking is not None

    @property
    def reading(self) -> list[Future[Any]]:
        """What is asked for beside us: answers for `check`, blocks for `search`."""
        asking = [self._asking] if self._asking is not None and not self._asking.done() else []
        return [*asking, *[each for search in self._searches for each in search.reading]]

    @property
    def is_known(self) -> bool:
        """Whether there was a comparison yet."""
        return self._looked_at is not None

    def doubt(self) -> None:
        """Something may be otherwise than the blocks told."""
        self.is_doubtful = True

    def is_due(self, *, idle: bool = False) -> bool:
        """Whether to compare now; `idle`: there is nothing else to do."""
        if self._backlog.unreadable > self._unreadable:
            self._unreadable = self._backlog.unreadable
            self.doubt()
        breaks = self._metrics.restarts + self._metrics.skipped
        if self._looked_at is None or breaks > self._breaks:
            self._breaks = breaks
            self._looked_at = None  # until it has succeeded
            return True
        # guard: a-comparison-is-forgotten-while-it-is-asked drop
        #   test_a_comparison_for_a_doubt_is_not_forgotten_while_it_is_asked
        if self._asking is not None:
            return self._asking.done()
        since = self._metrics.blocks - self._looked_at
        return since >= (SOON if idle or self.is_doubtful else self._intervals.every)

    def check(self) -> set[PacketKey] | None:
        """Compares; returns the packets that were corrected or found missing; None: that cannot be asked.

        Once both states are known they may be asked beside the caller: it compares when it is called after
        the answers came, and until then nothing (`is_asking`).

        Raises:
            EndpointRefused: a chain refuses the queries, which it may not do the next time.
            EndpointUnavailable, MalformedAnswer: a chain does not answer, or what cannot be decoded.
        """
        try:
            with self._metrics.part("reconcile"):
                found = self._compared()
        except RelayerError:
            self.doubt()
            raise
        if self.is_asking:
            return set()
        # guard: doubts-are-answered-by-what-was-asked-before {=> self._looked_at, self._refusals,
        #   self.is_doubtful = (self._asked_at, 0, False)}
        #   test_what_is_doubted_while_states_are_asked_is_looked_into_again
        self._looked_at, self._refusals = self._asked_at, 0
        self._metrics.reconciled += found is not None
        self._metrics.corrected += len(found or ())
        return found

    def begin(self, cursors: tuple[Cursor, Cursor]) -> bool:
        """A first look at what is pending, and at the blocks up to the cursors; False: that cannot be asked.

        Raises:
            EndpointUnavailable, MalformedAnswer: a chain does not answer, or what cannot be decoded.
        """
        found: set[PacketKey] | None = None
        for _ in range(REFUSALS):
            with suppress(EndpointRefused):
                found = self._run()
                break
        self.doubt()
        for side in SIDES:
            self._searches[side].glance(cursors[side].height, min(self._intervals.search_blocks, GLANCE))
        return found is not None

    def _compared(self) -> set[PacketKey] | None:
        # guard: h240-states-are-waited-for test_h240_a_round_does_not_wait_for_states
        if self._ahead is not None and self.is_known:
            return self._beside(self._ahead)
        self._asking = None  # what it asks is from before a break
        return self._run()

    def _beside(self, ahead: Ahead) -> set[PacketKey] | None:
        """As `_run`, with both states asked beside us, and what they say applied once it is there."""
        asking, self._asking = self._asking, None
        if asking is None:
            self._begins()
            asking = ahead(self._reconciler.question())
        if not asking.done():
            self._asking = asking
            return None
        return self._served(lambda: self._reconciler.apply(asking.result()))

    def _begins(self) -> None:
        """What comes into doubt from now on is not answered by this comparison."""
        self._asked_at, self.is_doubtful = self._metrics.blocks, False

    def _run(self) -> set[PacketKey] | None:
        self._begins()
        return self._served(self._reconciler.run)

    def _served(self, compare: Callable[[], set[PacketKey]]) -> set[PacketKey] | None:
        try:
            return compare()
        except EndpointRefused:
            self._refusals += 1
            if self._refusals < REFUSALS:
                raise
            return None

    def search(self, cursors: tuple[Cursor, Cursor]) -> bool:
        """Looks in some blocks for what is missing; returns whether it found any, or there are more.

        Raises:
            EndpointUnavailable, MalformedAnswer: no answer, or a wrong one; it goes on there.
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
