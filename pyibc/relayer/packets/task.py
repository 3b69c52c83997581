"""Tasks: messages to submit, before their proofs are fetched."""

from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple

from pyibc.relayer.packets.packets import AnyPacket
from pyibc.relayer.paths.path import AnyEnd, Side, other


class TaskKind(Enum):
    """Message type of a task."""

    RECV = "recv"
    ACKNOWLEDGE = "acknowledge"
    TIMEOUT = "timeout"
    TIMEOUT_ON_CLOSE = "timeout_on_close"
    CLOSE_CONFIRM = "close_confirm"


class TaskKey(NamedTuple):
    """Identifier of a task across rounds."""

    kind: TaskKind
    channel: int  # index of the channel, or of the pair of clients, in the backlog
    target: Side
    sequence: int  # 0 for CLOSE_CONFIRM

    @property
    def sender(self) -> Side:
        """Side that sent the packet."""
        return other(self.target) if self.kind is TaskKind.RECV else self.target

    @property
    def text(self) -> str:
        """Name for people."""
        return f"{self.kind.value} {self.sequence} of channel {self.channel} on {'ab'[self.target]}"


class TaskSet:
    """Set of tasks, grouped by kind, channel and target for fast access to the sequences of a group."""

    def __init__(self, keys: Iterable[TaskKey] = ()) -> None:
        """Start with `keys`."""
        self._sequences: dict[tuple[TaskKind, int, Side], set[int]] = {}
        for key in keys:
            self.add(key)

    def add(self, key: TaskKey) -> None:
        """Add a task."""
        self._sequences.setdefault(key[:3], set()).add(key.sequence)

    def discard(self, key: TaskKey) -> None:
        """Remove a task, if it is there."""
        self.of(*key[:3]).discard(key.sequence)

    def of(self, kind: TaskKind, channel: int, target: Side) -> set[int]:
        """Return the sequences of tasks of this kind, channel and target; read-only."""
        return self._sequences.get((kind, channel, target)) or set()

    def __contains__(self, key: object) -> bool:
        return isinstance(key, TaskKey) and key.sequence in self.of(*key[:3])

    def __bool__(self) -> bool:
        return any(self._sequences.values())


class _Union(TaskSet):
    def __init__(self, parts: list[TaskSet]) -> None:
        super().__init__()
        self._parts = parts

    def __bool__(self) -> bool:
        # guard: h238-a-union-is-empty {=> return False}
        #   test_h238_what_several_hold_is_held_whatever_holds_more
        return any(self._parts)

    def of(self, kind: TaskKind, channel: int, target: Side) -> set[int]:
        found = [some for each in self._parts if (some := each.of(kind, channel, target))]
        return found[0] if len(found) == 1 else set[int]().union(*found)


def union(*parts: TaskSet) -> TaskSet:
    """Return the union of `parts`; later changes of those that are not empty now are reflected."""
    found = [each for each in parts if each]
    return found[0] if len(found) == 1 else _Union(found)


class Task(NamedTuple):
    """Message for one chain, to be proven by the other."""

    key: TaskKey
    target_end: AnyEnd  # on the chain that the message is submitted to
    prover_end: AnyEnd  # on the chain whose state is proven
    ordered: bool
    packet: AnyPacket | None = None  # None for CLOSE_CONFIRM
    acknowledgement: bytes = b""


class Verdict(Enum):
    """Outcome of a task."""

    EFFECTIVE = "effective"  # the relayer's message took effect
    RECEIVED = "received"  # the packet was received before: its acknowledgement is still to be relayed
    GONE = "gone"  # nothing is left to do for the packet
    FAILED = "failed"
    SKIPPED = "skipped"  # left to a later round, for example after a failed task on an ordered channel
    UNPROFITABLE = "unprofitable"  # too expensive until gas is cheaper or other messages share the cost


class Result(NamedTuple):
    """Task and its outcome."""

    task: Task
    verdict: Verdict
    reason: str = ""
    gas: int = 0  # of a transaction with this message alone; set if UNPROFITABLE
    is_paid: bool = False  # FAILED in a block, for a fee
