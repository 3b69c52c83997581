"""Worker of one link: errors are logged, and the link is retried after a pause.

A worker ends only when it is asked to. It has no thread: it takes turns in those of the links between the
same two chains (`schedule`), so a chain that is down, slow or wrong delays only its own links. A link that is
idle sleeps until a block, an error or a time requires a round.
"""

import logging
from collections.abc import Callable, Hashable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from enum import Enum
from threading import Event, Lock
from time import time
from typing import Any, NamedTuple

from pyibc.core.errors import IbcError
from pyibc.relayer.blocks.feed import Rest
from pyibc.relayer.daemon.schedule import Schedule
from pyibc.relayer.daemon.threads import Stopping, stopping_at
from pyibc.relayer.errors import EndpointRefused, EndpointUnavailable, MalformedAnswer
from pyibc.relayer.links.link import Link
from pyibc.relayer.metrics import COUNTERS, Metrics
from pyibc.relayer.packets.backlog import PendingCount
from pyibc.relayer.queue.link import QueueLink

log = logging.getLogger("pyibc.relayer")

FIRST_S, LONGEST_S = 0.5, 60.0
"""First and longest pause after failures, in seconds; doubled after each failure."""
LONGEST_REST_S = 60.0
"""Maximum time between two rounds of an idle link, seconds."""
MOST_TOLD = 10
"""Maximum number of messages given up that are logged after a round; more are counted."""
_TRANSIENT = (EndpointUnavailable, EndpointRefused, MalformedAnswer)
"""Errors of a chain that may answer next time: the link is kept. After other errors it is opened again."""


AnyLink = Link | QueueLink
"""Link of any protocol."""


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


Sleep = Callable[[tuple[Rest, Rest], Callable[[], None]], bool]
"""Calls a function once when a block or an error of either chain requires it; False: it is required now."""


class Worker:
    """Worker of one link."""

    def __init__(
        self,
        name: str,
        open_link: Callable[[], AnyLink],
        *,
        interval: float = 0.5,
        forget: Iterable[Callable[[], None]] = (),
        sleep: Sleep | None = None,
        stop: Event | None = None,
        clock: Callable[[], float] = time,
    ) -> None:
        """Do nothing before `start`.

        Args:
            name: path name in logs and metrics.
            open_link: opens the link; called again after an error.
            interval: pause between two rounds of a link that waits for something, seconds.
            forget: called after each failure, to drop cached data of the chains.
            sleep: lets an idle link sleep; None: it has rounds every `interval`.
            stop: ends the worker once it is set.
            clock: returns unix time, for the status.
        """
        self.name = name
        self._open = open_link
        self._interval = interval
        self._forget = tuple(forget)
        self._sleep = sleep
        self._stop = stop or Event()
        self._clock = clock
        self._lock = Lock()
        self._link: AnyLink | None = None
        self._before = Metrics()  # of closed links
        self._status = WorkerStatus(name, WorkerState.STARTING, "", 0, Metrics(), ())
        self._wake: Callable[[], None] | None = None  # once started
        self._ended = Event()

    @property
    def status(self) -> WorkerStatus:
        """Status after the last round."""
        with self._lock:
            return self._status

    @property
    def statuses(self) -> list[WorkerStatus]:
        """Status of the only link."""
        return [self.status]

    def start(self, schedule: Schedule, group: Hashable = None) -> None:
        """Take turns in `schedule`, in the threads of `group`."""
        self._wake = schedule.add(self.turn, group)

    def end(self) -> None:
        """Ask the worker to stop, without waiting."""
        self._stop.set()
        if self._wake is not None:
            self._wake()

    def join(self, timeout_s: float) -> bool:
        """Wait for the end of the worker; return whether it has ended."""
        return self._wake is None or self._ended.wait(timeout_s)

    def run(self) -> None:
        """Relay in the calling thread until the worker is asked to stop."""
        while (pause_s := self.turn()) is not None:
            self._stop.wait(pause_s)

    def turn(self) -> float | None:
        """Run a step; return the pause that is due then, seconds. None: the worker has ended."""
        with stopping_at(self._stop), suppress(Stopping):
            if not self._stop.is_set():
                return self.step()
        self._close()
        self._update(state=WorkerState.ENDED, reason="")
        log.info("ended", extra={"path": self.name})
        self._ended.set()
        return None

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
            pause_s = 0.0 if busy else self._rest_s(self._link)
        except Exception as error:  # noqa: BLE001 - other paths go on, and this one is retried
            if not isinstance(error, _TRANSIENT):
                self._close()
            return self._failed(error)
        now_s = self._clock()
        state = WorkerState.WAITING if problem else WorkerState.RELAYING
        self._update(state=state, reason=problem, failures=0, updated_s=now_s)
        return pause_s

    def _rest_s(self, link: AnyLink) -> float:
        """Let the link sleep if it is idle; return the pause until its next round at the latest, seconds."""
        rest = link.rest() if self._sleep is not None else None
        if rest is None or self._sleep is None or self._wake is None or not self._sleep(rest, self._wake):
            return self._interval
        return LONGEST_REST_S

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
        failures = self.status.failures + 1
        reason, pause_s = log_failure(self.name, error, failures)
        self._update(state=WorkerState.WAITING, reason=reason, failures=failures)
        for forget in self._forget:
            forget()
        return pause_s

    def _update(self, **changed: object) -> None:
        with self._lock:
            self._status = self._status._replace(**changed)  # type: ignore[arg-type]


def log_failure(name: str, error: Exception, failures: int) -> tuple[str, float]:
    """Log the last of several failures in a row; return its reason, and the pause after it, seconds."""
    reason = str(error) or type(error).__name__
    pause_s = min(LONGEST_S, FIRST_S * 2.0 ** min(failures - 1, 16))
    facts = {"path": name, "error": type(error).__name__, "reason": reason, "pause_s": pause_s}
    known = isinstance(error, (IbcError, OSError))
    log.log(logging.WARNING if known else logging.ERROR, "failed", extra=facts, exc_info=not known)
    return reason, pause_s


def total(before: Metrics, now: Metrics) -> Metrics:
    """Return the sum of two links' counters; values that are not sums are those of the second."""
    sums: dict[str, Any] = {name: getattr(before, name) + getattr(now, name) for name in COUNTERS}
    cpu = {
        part: before.cpu_ns.get(part, 0) + now.cpu_ns.get(part, 0) for part in {**before.cpu_ns, **now.cpu_ns}
    }
    sums["wanted"] = now.wanted
    return replace(now.copy(), **sums, cpu_ns=cpu)
