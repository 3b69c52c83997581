"""Counters of what a relayer has done."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace

from ibc_relayer.task import Kind


@dataclass
class Metrics:
    """Counters since the start; `copy` gives a value that no longer moves."""

    delivered: int = 0  # packets received on their destination by our message
    acknowledged: int = 0
    timed_out: int = 0
    cleaned_up: int = 0  # receipts in queues that their chains deleted
    closed: int = 0  # channel ends closed after their counterparties
    redundant: int = 0  # messages without effect: another relayer was first
    transactions: int = 0  # successful
    refused: int = 0  # transactions that failed or were not included
    updates: int = 0  # client updates that succeeded
    bytes_sent: int = 0  # of messages, in transactions that succeeded
    blocks: int = 0  # read
    unreadable: int = 0  # packet events that could not be read
    skipped: int = 0  # blocks that were not read because no node keeps them
    unserved: int = 0  # starts at which a chain's state could not be asked for
    unread: int = 0  # blocks, from before such starts, that were not read: their packets are not known
    restarts: int = 0  # times that a chain's blocks were others than those read before
    reconciled: int = 0  # comparisons with both chains' states
    corrected: int = 0  # packets of which the state said something else than the blocks had
    wanted: int = 0  # events that the state shows to be in blocks, still to be found
    searched: int = 0  # blocks read again for them
    unsaved: int = 0  # times that the journal could not be written
    conflicts: int = 0  # headers given to light clients that are not their chains' own
    misbehaviours: int = 0  # clients frozen by our evidence
    upgrades: int = 0  # clients moved to their chains' next revision
    unwatched: int = 0  # times that a look at the light clients failed
    given_up: dict[str, str] = field(default_factory=dict)  # task -> last refusal
    held: dict[str, str] = field(default_factory=dict)  # deliveries that the policy holds back -> why
    cpu_ns: dict[str, int] = field(default_factory=dict)  # CPU time of this thread by part

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Adds the CPU time of the body to part `name`."""
        before = time.thread_time_ns()
        try:
            yield
        finally:
            self.cpu_ns[name] = self.cpu_ns.get(name, 0) + time.thread_time_ns() - before

    def count(self, kind: Kind) -> None:
        """Counts a message of ours that took effect."""
        match kind:
            case Kind.RECV:
                self.delivered += 1
            case Kind.ACKNOWLEDGE:
                self.acknowledged += 1
            case Kind.TIMEOUT | Kind.TIMEOUT_ON_CLOSE:
                self.timed_out += 1
            case Kind.CLOSE_CONFIRM:
                self.closed += 1

    def absorb(self, other: "Metrics") -> None:
        """Adds the counters of another, and sets those to 0."""
        for name in COUNTERS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
            setattr(other, name, 0)
        for part, spent_ns in other.cpu_ns.items():
            self.cpu_ns[part] = self.cpu_ns.get(part, 0) + spent_ns
        other.cpu_ns.clear()

    def copy(self) -> "Metrics":
        """The numbers as they stand."""
        return replace(self, given_up=dict(self.given_up), held=dict(self.held), cpu_ns=dict(self.cpu_ns))


COUNTERS = tuple(each.name for each in fields(Metrics) if each.type is int)
"""The names of all numbers."""
