"""Tasks: messages to be submitted, before their proofs are known."""

from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple

from ibc_relayer.packets import AnyPacket
from ibc_relayer.path import AnyEnd, Side


class Kind(Enum):
    """The message of a task."""

    RECV = "recv"
    ACKNOWLEDGE = "acknowledge"
    TIMEOUT = "timeout"
    TIMEOUT_ON_CLOSE = "timeout_on_close"
    CLOSE_CONFIRM = "close_confirm"


class TaskKey(NamedTuple):
    """Identifies a task across rounds."""

    kind: Kind
    channel: int  # index of the channel, or of the pair of clients, in the backlog
    target: Side
    sequence: int  # 0 for CLOSE_CONFIRM


class Held:
    """Tasks that are left out of a plan; those of a kind and direction are told from others at once."""

    def __init__(self, keys: Iterable[TaskKey] = ()) -> None:
        """These."""
        self._sequences: dict[tuple[Kind, int, Side], set[int]] = {}
        for key in keys:
            self.add(key)

    def add(self, key: TaskKey) -> None:
        """Adds a task."""
        self._sequences.setdefault(key[:3], set()).add(key.sequence)

    def discard(self, key: TaskKey) -> None:
        """Removes a task, if it is there."""
        self.of(*key[:3]).discard(key.sequence)

    def of(self, kind: Kind, channel: int, target: Side) -> set[int]:
        """The sequences of tasks of this kind, channel and target; not to be changed."""
        return self._sequences.get((kind, channel, target)) or set()

    def __contains__(self, key: object) -> bool:
        return isinstance(key, TaskKey) and key.sequence in self.of(*key[:3])

    def __bool__(self) -> bool:
        return any(self._sequences.values())


class _Union(Held):
    def __init__(self, parts: list[Held]) -> None:
        super().__init__()
        self._parts = parts

    def __bool__(self) -> bool:
        # guard: h238-a-union-is-empty {=> return False}
        #   test_h238_what_several_hold_is_held_whatever_holds_more
        return any(self._parts)

    def of(self, kind: Kind, channel: int, target: Side) -> set[int]:
        found = [some for each in self._parts if (some := each.of(kind, channel, target))]
        return found[0] if len(found) == 1 else set[int]().union(*found)


def union(*parts: Held) -> Held:
    """What is in any of them; follows what changes in those that are not empty now."""
    found = [each for each in parts if each]
    return found[0] if len(found) == 1 else _Union(found)


class Task(NamedTuple):
    """A message for one chain, to be proven by the other."""

    key: TaskKey
    target_end: AnyEnd  # on the chain that the message is submitted to
    prover_end: AnyEnd  # on the chain whose state is proven
    ordered: bool
    packet: AnyPacket | None = None  # None for CLOSE_CONFIRM
    acknowledgement: bytes = b""


class Verdict(Enum):
    """The outcome of a task."""

    EFFECTIVE = "effective"  # our message took effect
    RECEIVED = "received"  # the packet was received before: its acknowledgement is still to be relayed
    GONE = "gone"  # nothing is left to do for the packet
    FAILED = "failed"
    SKIPPED = "skipped"  # after a failed one on an ordered channel
    TOO_DEAR = "too dear"  # it waits until gas is cheaper, or others share what it costs


class Result(NamedTuple):
    """A task and its outcome."""

    task: Task
    verdict: Verdict
    reason: str = ""
    gas: int = 0  # too dear: that the transaction would have had for it alone
