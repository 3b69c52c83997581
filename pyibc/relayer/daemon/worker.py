"""Worker of one link: errors are logged, and the link is retried after a pause.

A worker ends only when it is asked to. A chain that is down, slow or wrong delays only its own links, since
each link has a thread of its own.
"""

import logging
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from enum import Enum
from threading import Event, Lock, Thread
from time import time
from typing import NamedTuple, Protocol

from pyibc.core.errors import IbcError
from pyibc.relayer.daemon.pausing import Stopping, stopping_at
from pyibc.relayer.errors import EndpointRefused, EndpointUnavailable, MalformedAnswer
from pyibc.relayer.metrics import COUNTERS, Metrics
from pyibc.relayer.packets.backlog import PendingCount

log = logging.getLogger("pyibc.relayer")

FIRST_S, LONGEST_S = 0.5, 60.0
"""First and longest pause after failures, in seconds; doubled after each failure."""
MOST_TOLD = 10
"""Maximum number of messages given up that are logged after a round; more are counted."""
_TRANSIENT = (EndpointUnavailable, EndpointRefused, MalformedAnswer)
"""Errors of a chain that may answer next time: the link is kept. After other errors it is opened again."""


class AnyLink(Protocol):
    """Link of any protocol."""

    @property
    def metrics(self) -> Metrics:
        """Counters of the link."""

    def round(self) -> bool:
        """Run one round; return whether there may be more to do."""

    def pending_counts(self) -> list[PendingCount]:
        """Return the pending packets by path and direction."""

    def problems(self) -> list[str]:
        """Return the errors that keep one direction from being relayed while the other is relayed."""

    def close(self) -> None:
        """Close the link; its state is on disk."""


class WorkerState(Enum):
    """State of a worker."""

    STARTING = "starting"
    RELAYING = "relaying"
    WAITING = "waiting"  # after a failure of one direction, or of both
    ENDED = "ended"


NO_REASONS: Mapping[str, str] = {}


class WorkerStatus(NamedTuple):
    """Status of a worker."""

    name: str
    state: WorkerState
    reason: str  # of the last failure while waiting; else empty
    failures: int  # consecutive
    metrics: Metrics  # since the daemon's start, over all links of the path
    pending: tuple[PendingCount, ...]
    updated_s: float = 0.0  # unix time of the last successful round; 0: none
    channels: int = 0  # of a path with patterns: relayed, each by one of its links
    left_out: int = 0  # of a path with patterns: they match, and cannot be relayed
    left_out_reasons: Mapping[str, str] = NO_REASONS  # of some of them, by port and channel


class Worker:
    """Thread of one link."""

    def __init__(
        self,
        name: str,
        open_link: Callable[[], AnyLink],
        *,
        interval: float = 0.5,
        forget: Iterable[Callable[[], None]] = (),
        stop: Event | None = None,
        clock: Callable[[], float] = time,
    ) -> None:
        """Do nothing before `start`.

        Args:
            name: path name in logs and metrics.
            open_link: opens the link; called again after an error.
            interval: pause between two rounds of an idle link, seconds.
            forget: called after each failure, to drop cached data of the chains.
            stop: ends the worker once it is set.
            clock: returns unix time, for the status.
        """
        self.name = name
        self._open = open_link
        self._interval = interval
        self._forget = tuple(forget)
        self._stop = stop or Event()
        self._clock = clock
        self._lock = Lock()
        self._link: AnyLink | None = None
        self._before = Metrics()  # of closed links
        self._status = WorkerStatus(name, WorkerState.STARTING, "", 0, Metrics(), ())
        self._thread = Thread(target=self.run, name=f"relayer {name}", daemon=True)

    @property
    def status(self) -> WorkerStatus:
        """Status after the last round."""
        with self._lock:
            return self._status

    @property
    def statuses(self) -> list[WorkerStatus]:
        """Status of the only link."""
        return [self.status]

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def end(self) -> None:
        """Ask the worker to stop, without waiting."""
        self._stop.set()

    def join(self, timeout_s: float) -> bool:
        """Wait for the end of the worker; return whether it has ended."""
        if self._thread.ident is not None:
            self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def run(self) -> None:
        """Relay in the calling thread until the worker is asked to stop."""
        with stopping_at(self._stop), suppress(Stopping):
            while not self._stop.is_set():
                self._stop.wait(self.step())
        self._close()
        self._update(state=WorkerState.ENDED, reason="")
        log.info("ended", extra={"path": self.name})

    def step(self) -> float:
        """Open the link, or run one round of it; return the pause that is due then, seconds."""
        try:
            if self._link is None:
                self._link = self._open()
                log.info("opened", extra={"path": self.name})
                # Known even if no round succeeds; the other values stay until one does.
                known = replace(self.status.metrics, expiries=self._link.metrics.expiries)
                self._update(metrics=known)
            busy = self._link.round()
            self._update_counts()
            problem = "; ".join(self._link.problems())
        except Exception as error:  # noqa: BLE001 - other paths go on, and this one is retried
            if not isinstance(error, _TRANSIENT):
                self._close()
            return self._failed(error)
        now_s = self._clock()
        state = WorkerState.WAITING if problem else WorkerState.RELAYING
        self._update(state=state, reason=problem, failures=0, updated_s=now_s)
        return 0.0 if busy else self._interval

    def _close(self) -> None:
        """Close the link and keep its counters."""
        link, self._link = self._link, None
        if link is not None:
            self._before = total(self._before, link.metrics)
            try:
                link.close()
            except Exception:
                log.exception("not closed", extra={"path": self.name})  # the next link opens the file again

    def _update_counts(self) -> None:
        if self._link is None:
            return
        metrics, pending = total(self._before, self._link.metrics), tuple(self._link.pending_counts())
        done = metrics.transactions - self.status.metrics.transactions
        self._tell_given_up(self.status.metrics.given_up, metrics.given_up)
        self._update(metrics=metrics, pending=pending)
        if done > 0:
            counts = {name: getattr(metrics, name) for name in ("delivered", "acknowledged", "timed_out")}
            log.info("relayed", extra={"path": self.name, "transactions": done, **counts})

    def _tell_given_up(self, before: Mapping[str, str], now: Mapping[str, str]) -> None:
        """Log messages that were given up since the last round, and those that are no longer."""
        new = [name for name in now if name not in before]
        for name in new[:MOST_TOLD]:
            log.warning("given up", extra={"path": self.name, "what": name, "reason": now[name]})
        if len(new) > MOST_TOLD:
            log.warning("given up", extra={"path": self.name, "more": len(new) - MOST_TOLD})
        done = sum(name not in now for name in before)
        if done:
            log.info("no longer given up", extra={"path": self.name, "messages": done, "left": len(now)})

    def _failed(self, error: Exception) -> float:
        """Log a failure; return the pause after it, seconds."""
        failures = self.status.failures + 1
        pause = min(LONGEST_S, FIRST_S * 2.0 ** min(failures - 1, 16))
        reason = str(error) or type(error).__name__
        self._update(state=WorkerState.WAITING, reason=reason, failures=failures)
        facts = {"path": self.name, "error": type(error).__name__, "reason": reason, "pause_s": pause}
        known = isinstance(error, (IbcError, OSError))
        log.log(logging.WARNING if known else logging.ERROR, "failed", extra=facts, exc_info=not known)
        for forget in self._forget:
            forget()
        return pause

    def _update(self, **changed: object) -> None:
        with self._lock:
            self._status = self._status._replace(**changed)  # type: ignore[arg-type]


def total(before: Metrics, now: Metrics) -> Metrics:
    """Return the sum of two links' counters; values that are not sums are those of the second."""
    sums: dict[str, int] = {name: getattr(before, name) + getattr(now, name) for name in COUNTERS}
    cpu = {
        part: before.cpu_ns.get(part, 0) + now.cpu_ns.get(part, 0) for part in {**before.cpu_ns, **now.cpu_ns}
    }
    sums["wanted"] = now.wanted
    given_up, held = dict(now.given_up), dict(now.held)
    return Metrics(
        **sums,
        is_unsaved=now.is_unsaved,
        given_up=given_up,
        given_up_s=now.given_up_s,
        held=held,
        expiries=now.expiries,
        cpu_ns=cpu,
    )
