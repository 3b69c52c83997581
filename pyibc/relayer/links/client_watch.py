"""Watch over the light clients on both chains of a link, fed with the blocks that the link reads.

Every header that updates a client of the other chain is compared with that chain's own header. A header that
differs is misbehaviour: it is reported and submitted to all clients of that chain. A planned upgrade of
either chain moves the link's client of it to the next revision. Failures are retried and delay no packets.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future

from pyibc.core.host.block import CommittedBlock
from pyibc.relayer.chain.endpoint import ChainEndpoint
from pyibc.relayer.clients.driver import Drivers
from pyibc.relayer.clients.foreign_client import ForeignClient
from pyibc.relayer.clients.misbehaviour_monitor import ConflictingHeader, MisbehaviourMonitor
from pyibc.relayer.clients.upgrade import planned_height, upgrade
from pyibc.relayer.errors import RelayerError
from pyibc.relayer.links.submission import refusal
from pyibc.relayer.links.submissions import SubmissionRunner
from pyibc.relayer.metrics import Metrics
from pyibc.relayer.packets.task import Result
from pyibc.relayer.paths.path import SIDES, Side, other
from pyibc.relayer.rpc.client import printable

PLAN_BLOCKS = 20
"""Blocks of a chain between two queries of its upgrade plan."""
MAX_PAUSE = 64
"""Maximum number of rounds between two failed checks; the pause doubles up to it."""

Report = Callable[[str, Mapping[str, object]], None]
"""Gets the name and attributes of an event; called from the thread in which the watch runs."""


class ClientWatch:
    """Watch over the clients on both chains of one link."""

    def __init__(
        self,
        clients: Sequence[ForeignClient],
        metrics: Metrics,
        runner: SubmissionRunner,
        report: Report,
        drivers: Drivers,
        leads: Callable[[], bool] = lambda: True,
    ) -> None:
        """Start with no observed blocks.

        Args:
            clients: on both chains, by side.
            metrics: count the findings.
            runner: runs the checks.
            report: gets the findings.
            drivers: the supported client types.
            leads: returns whether this link checks headers for all links between the two chains.
        """
        self._leads = leads
        self.checks_headers = leads()
        """True if headers are checked here; false if another link checks them."""
        self._clients = clients
        self._metrics = metrics
        self._runner = runner
        self._report = report
        self._own = Metrics()
        self._monitors = [MisbehaviourMonitor(each.host, each.reference, 1, drivers) for each in clients]
        self._conflicts = deque[tuple[Side, ConflictingHeader]]()
        self._heights = [0, 0]  # of the last blocks observed
        self._plan_queried = [-PLAN_BLOCKS, -PLAN_BLOCKS]  # heights at which the upgrade plans were queried
        self._planned = [0, 0]  # heights of planned upgrades
        self._last = ["", ""]  # last refusals of upgrades
        self._future: Future[list[Result]] | None = None
        self._failures = 0  # consecutive checks that failed
        self._pause = 0  # rounds until the next check

    def observe(self, side: Side, block: CommittedBlock) -> None:
        """Record a block of one chain; `run` checks it."""
        # guard: each-link-checks-all-headers always:checks_headers
        #   test_headers_are_checked_by_one_of_several_links
        if self.checks_headers:
            self._monitors[side].observe(block)
        self._heights[side] = block.height

    def reach(self, side: Side, height: int) -> None:
        """Record that blocks up to `height` were read, or passed since they have no updates of clients."""
        self._heights[side] = height

    def next_height(self, side: Side) -> int:
        """Return the height at which an upgrade of the chain must be followed; 0: none is planned."""
        return max(0, self._planned[side] - 1) if self._planned[side] else 0

    @property
    def is_idle(self) -> bool:
        """Return whether nothing is left to check before the next block."""
        return self._future is None and not self._pause and not any(self._is_due(side) for side in SIDES)

    def run(self) -> None:
        """Check the observed blocks, or let the runner check them concurrently.

        Raises:
            Exception: an unexpected error; a chain that does not answer is queried again instead.
        """
        self.checks_headers = self._leads()
        self._collect()
        if self._pause:
            self._pause -= 1
        elif self._future is None and any(self._is_due(side) for side in SIDES):
            self._future = self._runner.launch(self._check)
            self._collect()

    def _collect(self) -> None:
        if self._future is not None and self._future.done():
            future, self._future = self._future, None
            self._metrics.absorb(self._own)
            future.result()

    def _is_due(self, side: Side) -> bool:
        height, planned = self._heights[side], self._planned[side]
        if height >= self._plan_queried[side] + PLAN_BLOCKS or (planned and height >= planned - 1):
            return True
        return bool(self._conflicts or self._monitors[side].pending)

    def _check(self) -> list[Result]:
        done = True
        for side in SIDES:
            for step in (self._verify, self._freeze, self._follow_upgrade):
                try:
                    done &= step(side)
                except RelayerError as error:
                    done = False
                    self._own.unwatched += 1
                    self._report("not watched", {"chain": self._host(side).chain_id, "reason": str(error)})
        self._failures = 0 if done else self._failures + 1
        self._pause = min(2 ** max(0, self._failures - 1), MAX_PAUSE) - 1
        return []

    def _host(self, side: Side) -> ChainEndpoint:
        return self._clients[side].host

    def _verify(self, side: Side) -> bool:
        monitor = self._monitors[side]
        if monitor.pending:
            for conflict in monitor.check_pending():
                self._conflicts.append((side, conflict))
                self._own.conflicts += 1
                self._report("misbehaviour", self._facts(side, conflict))
        while monitor.unchecked:
            self._report(
                "not watched", {"chain": self._host(side).chain_id, "reason": monitor.unchecked.pop(0)}
            )
        return True

    def _facts(self, side: Side, conflict: ConflictingHeader) -> dict[str, object]:
        height = conflict.submitted.height.revision_height
        at = conflict.host_height
        return {"chain": self._host(side).chain_id, "block": at, "of": conflict.chain_id, "height": height}

    def _freeze(self, side: Side) -> bool:
        """Submit the evidence to the chain on `side`; after an error the next check submits it again."""
        for _ in range(len(self._conflicts)):
            at, conflict = self._conflicts[0]
            if at != side:
                self._conflicts.rotate(-1)
                continue
            for each in self._monitors[side].freeze(conflict):
                accepted = each.outcome is not None and each.outcome.code == 0
                self._own.misbehaviours += accepted
                why = "" if accepted else "no common ground"
                if each.outcome is not None and not accepted:
                    why = printable(f"{refusal(each.outcome)} {each.outcome.log}")
                facts = {**self._facts(side, conflict), "client": each.client_id, "reason": why}
                self._report("frozen" if accepted else "not frozen", facts)
            self._conflicts.popleft()
        return True

    def _follow_upgrade(self, side: Side) -> bool:
        """Follow an upgrade of the chain on `side` with its client; return False to try it again."""
        client, height = self._clients[other(side)], self._heights[side]
        if height >= self._plan_queried[side] + PLAN_BLOCKS:
            self._planned[side] = planned_height(client.reference)
            self._plan_queried[side] = height
        planned = self._planned[side]
        if not planned or height < planned - 1:
            return True
        done = upgrade(client, planned)
        if done is None:
            if height >= planned:
                self._planned[side] = 0  # the client needs nothing, or the chain has not halted
            return not self._planned[side]
        facts = {"chain": client.host.chain_id, "client": done.client_id, "height": done.height}
        reason = printable(f"{refusal(done.outcome)} {done.outcome.log}") if done.outcome.code else ""
        if not reason:
            self._own.upgrades += 1
            self._planned[side] = 0
            self._report("client upgraded", facts)
        elif reason != self._last[side]:
            self._report("client not upgraded", {**facts, "reason": reason})
        self._last[side] = reason
        return not reason
