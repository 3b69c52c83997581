"""When a link holds what it knows against state, and how much it looks for at a time.

Both are counted in blocks: no clock.
"""

from contextlib import suppress
from typing import NamedTuple

from ibc_relayer.backlog import Backlog
from ibc_relayer.block_search import BlockSearch
from ibc_relayer.checked_blocks import Cursor
from ibc_relayer.endpoint import ChainEndpoint
from ibc_relayer.errors import EndpointRefused
from ibc_relayer.metrics import Metrics
from ibc_relayer.path import SIDES
from ibc_relayer.reconcile import PacketKey, Reconciler

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
    ) -> None:
        """Nothing is asked before `check`.

        Args:
            backlog: what the blocks told; corrected.
            endpoints: both chains.
            metrics: count what was done.
            intervals: how often to look, and how far.
        """
        self._backlog = backlog
        self._searches = BlockSearch(endpoints[0]), BlockSearch(endpoints[1])
        self._reconciler = Reconciler(backlog, endpoints, self._searches)
        self._metrics = metrics
        self._intervals = intervals
        self._looked_at: int | None = None  # blocks read then
        self._unreadable = self._breaks = 0
        self._refusals = 0
        self.is_doubtful = True
        """Whether something may be otherwise than the blocks told."""

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
        since = self._metrics.blocks - self._looked_at
        return since >= (SOON if idle or self.is_doubtful else self._intervals.every)

    def check(self) -> set[PacketKey] | None:
        """Compares; returns the packets that were corrected or found missing; None: that cannot be asked.

        Raises:
            EndpointRefused: a chain refuses the queries, which it may not do the next time.
            EndpointUnavailable, MalformedAnswer: a chain does not answer, or what cannot be decoded.
        """
        with self._metrics.part("reconcile"):
            found = self._run()
        self._looked_at, self.is_doubtful, self._refusals = self._metrics.blocks, False, 0
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
        for side in SIDES:
            self._searches[side].glance(cursors[side].height, min(self._intervals.search_blocks, GLANCE))
        return found is not None

    def _run(self) -> set[PacketKey] | None:
        try:
            return self._reconciler.run()
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
