"""Counters of a relayer."""

import time
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from threading import Lock
from typing import NamedTuple

from pyibc.relayer.packets.task import TaskKind


class ClientExpiry(NamedTuple):
    """Expiry of a light client, unless it is updated before."""

    chain: str  # that has the client
    client: str
    counterparty: str  # the chain that the client tracks
    expires_ns: int  # by the time of `chain`, Unix nanoseconds
    trusting_ns: int  # trusting period, nanoseconds


@dataclass
class Metrics:
    """Counters since the start; `copy` returns a snapshot."""

    delivered: int = 0  # packets received on their destination by the relayer's message
    acknowledged: int = 0
    failed: int = 0  # of these, with an error acknowledgement: the application refused the packet
    timed_out: int = 0
    cleaned_up: int = 0  # receipts that chains deleted from queues
    closed: int = 0  # channel ends closed after their counterparties
    redundant: int = 0  # messages without effect: another relayer was first
    transactions: int = 0  # successful
    refused: int = 0  # transactions that failed or were not included
    updates: int = 0  # client updates that succeeded
    bytes_sent: int = 0  # of messages, in transactions that succeeded
    blocks: int = 0  # read
    unreadable: int = 0  # packet events that could not be read
    skipped: int = 0  # blocks that were not read because no node keeps them
    unserved: int = 0  # starts at which a chain's state could not be queried
    unread: int = 0  # blocks before such starts that were not read: their packets are not known
    restarts: int = 0  # times that a chain's blocks differed from those read before
    reconciled: int = 0  # comparisons with both chains' states
    corrected: int = 0  # packets whose state differed from the blocks
    wanted: int = 0  # events missing according to state, still searched for
    searched: int = 0  # blocks searched for them
    unsaved: int = 0  # times that the journal could not be written
    conflicts: int = 0  # headers given to light clients that differ from their chains' own
    misbehaviours: int = 0  # clients frozen by the relayer's evidence
    upgrades: int = 0  # clients moved to their chains' next revision
    unwatched: int = 0  # times that a check of the light clients failed
    given_up: dict[str, str] = field(default_factory=dict)  # task -> last refusal; retried rarely
    given_up_s: float = 0.0  # since the first failure of the oldest of these, seconds
    is_unsaved: bool = False  # whether the journal could not be written the last time
    held: dict[str, str] = field(default_factory=dict)  # deferred messages -> reason
    expiries: tuple[ClientExpiry, ...] = ()  # of the link's clients that expire, as read last
    cpu_ns: dict[str, int] = field(default_factory=dict)  # CPU time of this thread by part, nanoseconds

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Add the CPU time of the body to part `name`."""
        before = time.thread_time_ns()
        try:
            yield
        finally:
            self.cpu_ns[name] = self.cpu_ns.get(name, 0) + time.thread_time_ns() - before

    @property
    def acknowledged_text(self) -> str:
        """Number of acknowledgements in words, with that of error acknowledgements."""
        return acknowledged_text(self.acknowledged, self.failed)

    def count(self, kind: TaskKind, *, has_error: bool = False) -> None:
        """Count a message of the relayer that took effect; `has_error`: of an error acknowledgement."""
        match kind:
            case TaskKind.RECV:
                self.delivered += 1
            case TaskKind.ACKNOWLEDGE:
                self.acknowledged += 1
                self.failed += has_error
            case TaskKind.TIMEOUT | TaskKind.TIMEOUT_ON_CLOSE:
                self.timed_out += 1
            case TaskKind.CLOSE_CONFIRM:
                self.closed += 1

    def absorb(self, other: "Metrics") -> None:
        """Add another object's counters, and reset them."""
        for name in COUNTERS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
            setattr(other, name, 0)
        for part, spent_ns in other.cpu_ns.items():
            self.cpu_ns[part] = self.cpu_ns.get(part, 0) + spent_ns
        other.cpu_ns.clear()

    def copy(self) -> "Metrics":
        """Return a snapshot."""
        return replace(self, given_up=dict(self.given_up), held=dict(self.held), cpu_ns=dict(self.cpu_ns))


def acknowledged_text(acknowledged: int, failed: int) -> str:
    """Return a number of acknowledgements in words; of error acknowledgements only if there are any."""
    return f"acknowledged {acknowledged}{f' ({failed} with an error)' if failed else ''}"


COUNTERS = tuple(each.name for each in fields(Metrics) if each.type is int)
"""Names of all counters."""


# -- latencies of transactions, in the buckets of a Prometheus histogram

BOUNDS_S = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0)
"""Upper bounds of the buckets in seconds; one more bucket is above the last."""


class Latencies(NamedTuple):
    """Counts by bucket, and the sum of all seconds."""

    counts: tuple[int, ...] = (0,) * (len(BOUNDS_S) + 1)
    total_s: float = 0.0


class Stopwatch:
    """Collector of latencies; safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._counts = [0] * (len(BOUNDS_S) + 1)
        self._total_s = 0.0

    def took(self, seconds: float) -> None:
        """Add a latency."""
        with self._lock:
            self._counts[bisect_left(BOUNDS_S, seconds)] += 1
            self._total_s += seconds

    @property
    def value(self) -> Latencies:
        """Latencies collected so far."""
        with self._lock:
            return Latencies(tuple(self._counts), self._total_s)
