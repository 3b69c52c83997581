"""Watches the clients on both chains of a link, as part of reading their blocks.

Every header that updates a client of the other chain is compared with that chain's own. One that differs is
misbehaviour: it is told, and submitted to all clients of that chain. A planned upgrade of either chain moves
the link's client of it to the next revision. What fails is tried again, and holds up no packet.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future

from ibc_core.host.block import CommittedBlock
from ibc_relayer.client_upgrade import planned_height, upgrade
from ibc_relayer.driver import Drivers
from ibc_relayer.endpoint import ChainEndpoint
from ibc_relayer.errors import RelayerError
from ibc_relayer.foreign_client import ForeignClient
from ibc_relayer.lanes import Lanes
from ibc_relayer.metrics import Metrics
from ibc_relayer.misbehaviour_monitor import ConflictingHeader, MisbehaviourMonitor
from ibc_relayer.path import SIDES, Side, other
from ibc_relayer.rpc_client import printable
from ibc_relayer.submission import refusal
from ibc_relayer.task import Result

EVERY = 20
"""Blocks of a chain between two looks at its upgrade plan."""
LONGEST = 64
"""Rounds between two looks that fail; the pauses double up to it."""

Tell = Callable[[str, Mapping[str, object]], None]
"""Takes an event and its facts; called from whatever thread the watch runs in."""


class LinkWatch:
    """The watch over both chains of one link."""

    def __init__(
        self, clients: Sequence[ForeignClient], metrics: Metrics, lanes: Lanes, tell: Tell, drivers: Drivers
    ) -> None:
        """`clients`: on both chains. Of what is found `metrics` are told, and `tell`."""
        self._clients = clients
        self._metrics = metrics
        self._lanes = lanes
        self._tell = tell
        self._own = Metrics()
        self._monitors = [MisbehaviourMonitor(each.host, each.reference, 1, drivers) for each in clients]
        self._conflicts = deque[tuple[Side, ConflictingHeader]]()
        self._heights = [0, 0]  # of both chains, as read
        self._asked = [-EVERY, -EVERY]  # heights at which the upgrade plans were asked for
        self._planned = [0, 0]
        self._last = ["", ""]  # outcomes of upgrades that were refused
        self._future: Future[list[Result]] | None = None
        self._failures = 0  # looks in a row that did not come to an end
        self._rests = 0  # rounds until the next

    def observe(self, side: Side, block: CommittedBlock) -> None:
        """Takes a block of one chain; `run` looks at it."""
        self._monitors[side].observe(block)
        self._heights[side] = block.height

    def run(self) -> None:
        """Looks at what was observed, or lets it be looked at beside the caller.

        Raises:
            Exception: a fault of ours; a chain that does not answer is asked again instead.
        """
        self._settle()
        if self._rests:
            self._rests -= 1
        elif self._future is None and any(self._is_due(side) for side in SIDES):
            self._future = self._lanes.launch(self._look)
            self._settle()

    def _settle(self) -> None:
        if self._future is not None and self._future.done():
            future, self._future = self._future, None
            self._metrics.absorb(self._own)
            future.result()

    def _is_due(self, side: Side) -> bool:
        height, planned = self._heights[side], self._planned[side]
        if height >= self._asked[side] + EVERY or (planned and height >= planned - 1):
            return True
        return bool(self._conflicts or self._monitors[side].waiting)

    def _look(self) -> list[Result]:
        done = True
        for side in SIDES:
            for part in (self._judge, self._freeze, self._follow_upgrade):
                try:
                    done &= part(side)
                except RelayerError as error:
                    done = False
                    self._own.unwatched += 1
                    self._tell("not watched", {"chain": self._host(side).chain_id, "reason": str(error)})
        self._failures = 0 if done else self._failures + 1
        self._rests = min(2 ** max(0, self._failures - 1), LONGEST) - 1
        return []

    def _host(self, side: Side) -> ChainEndpoint:
        return self._clients[side].host

    def _judge(self, side: Side) -> bool:
        monitor = self._monitors[side]
        if monitor.waiting:
            for conflict in monitor.judge():
                self._conflicts.append((side, conflict))
                self._own.conflicts += 1
                self._tell("misbehaviour", self._facts(side, conflict))
        while monitor.missed:
            self._tell("not watched", {"chain": self._host(side).chain_id, "reason": monitor.missed.pop(0)})
        return True

    def _facts(self, side: Side, conflict: ConflictingHeader) -> dict[str, object]:
        height = conflict.submitted.height.revision_height
        at = conflict.host_height
        return {"chain": self._host(side).chain_id, "block": at, "of": conflict.chain_id, "height": height}

    def _freeze(self, side: Side) -> bool:
        """Submits the evidence; of what a chain does not answer for, in the next round."""
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
                told = {**self._facts(side, conflict), "client": each.client_id, "reason": why}
                self._tell("frozen" if accepted else "not frozen", told)
            self._conflicts.popleft()
        return True

    def _follow_upgrade(self, side: Side) -> bool:
        """Moves the client of the chain on `side`, if that chain upgrades; False: to be tried again."""
        client, height = self._clients[other(side)], self._heights[side]
        if height >= self._asked[side] + EVERY:
            self._planned[side] = planned_height(client.reference)
            self._asked[side] = height
        planned = self._planned[side]
        if not planned or height < planned - 1:
            return True
        done = upgrade(client, planned)
        if done is None:
            if height >= planned:
                self._planned[side] = 0  # the client needs nothing, or the chain has not halted
            return not self._planned[side]
        told = {"chain": client.host.chain_id, "client": done.client_id, "height": done.height}
        said = printable(f"{refusal(done.outcome)} {done.outcome.log}") if done.outcome.code else ""
        if not said:
            self._own.upgrades += 1
            self._planned[side] = 0
            self._tell("client upgraded", told)
        elif said != self._last[side]:
            self._tell("client not upgraded", {**told, "reason": said})
        self._last[side] = said
        return not said
