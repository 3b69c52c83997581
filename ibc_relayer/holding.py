"""Messages that are held back: they wait, are listed with the reason, and go when they may.

A policy holds back deliveries; what was delivered is brought to its end by any relayer's. A price holds back
any message that serves a packet.
"""

from collections.abc import Iterable, Iterator

from ibc_relayer.backlog import Backlog
from ibc_relayer.dear import Dear
from ibc_relayer.endpoint import ChainEndpoint
from ibc_relayer.path import SIDES, Side, other
from ibc_relayer.pending_packets import Stage
from ibc_relayer.policy import RELAY_ALL, Policy, reason_to_wait
from ibc_relayer.task import Held, Kind, Result, Task, TaskKey, union
from ibc_relayer.waiting import HeldMessage


class Holding:
    """What a link holds back."""

    def __init__(
        self, policy: Policy, backlog: Backlog, endpoints: tuple[ChainEndpoint, ChainEndpoint]
    ) -> None:
        """Holds nothing back before `judge` and `too_dear`."""
        self._policy = policy
        self._backlog = backlog
        self._held = Held()
        self._reasons: dict[TaskKey, str] = {}
        self._dear = Dear(endpoints)

    def judge(self, tasks: Iterable[Task]) -> bool:
        """Holds back those of `tasks` that the policy does not let through; returns whether there are any."""
        if self._policy == RELAY_ALL:
            return False
        found = False
        for task in tasks:
            if task.key.kind is Kind.RECV and task.packet is not None:
                reason = reason_to_wait(self._policy, task.packet)
                if reason is not None:
                    self._held.add(task.key)
                    self._reasons[task.key] = reason
                    found = True
        return found

    def too_dear(self, result: Result, height: int) -> None:
        """Holds back a message for its price; `height`: the last block of the chain it is for."""
        self._dear.add(result, height)

    def settled(self, key: TaskKey) -> None:
        """A message needs to be held back no more: it took effect, or failed for another reason."""
        self._dear.discard(key)

    def release(self, side: Side, height: int) -> None:
        """Lets go what was too dear for the chain on `side` and may be tried now."""
        self._dear.release(side, height)

    def besides(self, excluded: Held) -> Held:
        """`excluded`, and what is held back."""
        return union(excluded, self._held, self._dear.held)

    def reasons(self) -> dict[TaskKey, str]:
        """What is held back, and why; messages that nobody needs any more are forgotten."""
        for key in [key for key in self._reasons if not self._is_due(key)]:
            del self._reasons[key]
            self._held.discard(key)
        for key in [key for key in self._dear.reasons if not self._is_due(key)]:
            self._dear.discard(key)
        return {**self._reasons, **self._dear.reasons}

    def listed(self, told: Iterable[HeldMessage] = ()) -> list[HeldMessage]:
        """What is held back; with what another process has `told` of and is still to be done."""
        found = {self._place(key): reason for key, reason in self.reasons().items()}
        due = {
            (chain, end, message, sequence): reason
            for chain, end, message, sequence, reason in told
            for key in self._keys(chain, end, message, sequence)
            if self._is_due(key)
        }
        return [HeldMessage(*place, reason) for place, reason in sorted({**due, **found}.items())]

    def _place(self, key: TaskKey) -> tuple[str, str, str, int]:
        end = self._backlog.channels[key.channel].path.end(_sender(key))
        return end.chain_id, "/".join(end.name), key.kind.value, key.sequence

    def _keys(self, chain: str, end: str, message: str, sequence: int) -> Iterator[TaskKey]:
        for number in range(len(self._backlog.channels)):
            for target in SIDES:
                key = TaskKey(Kind(message), number, target, sequence)
                if self._place(key)[:2] == (chain, end):
                    yield key

    def _is_due(self, key: TaskKey) -> bool:
        pending = self._backlog.channels[key.channel].sent_from(_sender(key)).packets.get(key.sequence)
        stage = Stage.ACKNOWLEDGED if key.kind is Kind.ACKNOWLEDGE else Stage.SENT
        return pending is not None and pending.stage is stage


def _sender(key: TaskKey) -> Side:
    return other(key.target) if key.kind is Kind.RECV else key.target
