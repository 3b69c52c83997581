"""One link, kept going: whatever goes wrong is told, waited for, and tried again.

A worker ends when it is told to and at no other time. A chain that is down, slow or wrong holds up its own
links; each has a thread of its own.
"""

import logging
from collections.abc import Callable, Iterable
from contextlib import suppress
from enum import Enum
from threading import Event, Lock, Thread
from time import time
from typing import NamedTuple, Protocol

from ibc_core.errors import IbcError
from ibc_relayer.daemon.pausing import Stopping, stopping_at
from ibc_relayer.errors import EndpointRefused, EndpointUnavailable, MalformedAnswer
from ibc_relayer.metrics import COUNTERS, Metrics
from ibc_relayer.waiting import Waiting

log = logging.getLogger("pyibc.relayer")

FIRST_S, LONGEST_S = 0.5, 60.0
"""Pauses after failures: doubled from the first to the longest."""
AGAIN_S = 3600.0
"""After which a link that has given up messages is made anew: they are tried again."""
_PASSING = (EndpointUnavailable, EndpointRefused, MalformedAnswer)
"""Of a chain that may answer next time: the link stays as it is. After others it is made anew."""


class Relaying(Protocol):
    """A link of any protocol."""

    @property
    def metrics(self) -> Metrics:
        """What it has done."""

    def round(self) -> bool:
        """Does what can be done now; returns whether there may be more to do."""

    def waiting(self) -> list[Waiting]:
        """What is pending."""

    def troubles(self) -> list[str]:
        """What keeps one direction from being relayed, while the other is."""

    def close(self) -> None:
        """Ends it; its state is on disk."""


class State(Enum):
    """What a worker is about."""

    STARTING = "starting"
    RELAYING = "relaying"
    WAITING = "waiting"  # after a failure, of one direction or both
    ENDED = "ended"


class Status(NamedTuple):
    """What is known of a worker."""

    name: str
    state: State
    reason: str  # of the last failure, while it waits; else empty
    failures: int  # in a row
    metrics: Metrics  # since the daemon's start, over all links that there were
    waiting: tuple[Waiting, ...]
    updated_s: float = 0.0  # when a round last went well, unix time; 0: never


class Worker:
    """The thread of one link."""

    def __init__(
        self,
        name: str,
        open_link: Callable[[], Relaying],
        *,
        interval: float = 0.5,
        forget: Iterable[Callable[[], None]] = (),
        stop: Event | None = None,
        clock: Callable[[], float] = time,
    ) -> None:
        """Nothing is done before `start`.

        Args:
            name: what logs and metrics call it.
            open_link: makes the link; it may fail, and is called again.
            interval: between two rounds without anything to do, seconds.
            forget: called after each failure: whoever keeps what chains have said drops it.
            stop: ends the worker once it is set.
            clock: unix time, for who reads the status.
        """
        self.name = name
        self._open = open_link
        self._interval = interval
        self._forget = tuple(forget)
        self._stop = stop or Event()
        self._clock = clock
        self._lock = Lock()
        self._link: Relaying | None = None
        self._opened_s = 0.0
        self._before = Metrics()  # of links that were closed
        self._status = Status(name, State.STARTING, "", 0, Metrics(), ())
        self._thread = Thread(target=self.run, name=f"relayer {name}", daemon=True)

    @property
    def status(self) -> Status:
        """As of the last round."""
        with self._lock:
            return self._status

    def start(self) -> None:
        """Runs it in its thread."""
        self._thread.start()

    def end(self) -> None:
        """Tells it to stop; does not wait."""
        self._stop.set()

    def join(self, timeout_s: float) -> bool:
        """Waits for its end; returns whether it has ended."""
        if self._thread.ident is not None:
            self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def run(self) -> None:
        """Relays until the worker is told to stop, in the thread that calls."""
        with stopping_at(self._stop), suppress(Stopping):
            while not self._stop.is_set():
                self._stop.wait(self.step())
        self._close()
        self._tell(state=State.ENDED, reason="")
        log.info("ended", extra={"path": self.name})

    def step(self) -> float:
        """Makes the link, or runs one round of it; returns the pause that is due then, seconds."""
        try:
            if self._link is None:
                self._link, self._opened_s = self._open(), self._clock()
                log.info("opened", extra={"path": self.name})
            busy = self._link.round()
            self._take()
            trouble = "; ".join(self._link.troubles())
        except Exception as error:  # noqa: BLE001 - whatever it is, other paths go on, and this one is tried again
            if not isinstance(error, _PASSING):
                self._close()
            return self._failed(error)
        now_s = self._clock()
        state = State.WAITING if trouble else State.RELAYING
        self._tell(state=state, reason=trouble, failures=0, updated_s=now_s)
        if self._link.metrics.given_up and now_s - self._opened_s >= AGAIN_S:
            self._close()
        return 0.0 if busy else self._interval

    def _close(self) -> None:
        """Ends the link; what it counted stays counted."""
        link, self._link = self._link, None
        if link is not None:
            self._before = total(self._before, link.metrics)
            try:
                link.close()
            except Exception:
                log.exception("not closed", extra={"path": self.name})  # the next link opens its file anew

    def _take(self) -> None:
        if self._link is None:
            return
        metrics, waiting = total(self._before, self._link.metrics), tuple(self._link.waiting())
        done = metrics.transactions - self.status.metrics.transactions
        self._tell(metrics=metrics, waiting=waiting)
        if done > 0:
            counts = {name: getattr(metrics, name) for name in ("delivered", "acknowledged", "timed_out")}
            log.info("relayed", extra={"path": self.name, "transactions": done, **counts})

    def _failed(self, error: Exception) -> float:
        """Tells a failure; returns the pause after it."""
        failures = self.status.failures + 1
        pause = min(LONGEST_S, FIRST_S * 2.0 ** min(failures - 1, 16))
        reason = str(error) or type(error).__name__
        self._tell(state=State.WAITING, reason=reason, failures=failures)
        told = {"path": self.name, "error": type(error).__name__, "reason": reason, "pause_s": pause}
        known = isinstance(error, (IbcError, OSError))
        log.log(logging.WARNING if known else logging.ERROR, "failed", extra=told, exc_info=not known)
        for forget in self._forget:
            forget()
        return pause

    def _tell(self, **changed: object) -> None:
        with self._lock:
            self._status = self._status._replace(**changed)  # type: ignore[arg-type]


def total(before: Metrics, now: Metrics) -> Metrics:
    """The sum of two links' counters; what is wanted, given up or held back is the second's."""
    sums: dict[str, int] = {name: getattr(before, name) + getattr(now, name) for name in COUNTERS}
    cpu = {
        part: before.cpu_ns.get(part, 0) + now.cpu_ns.get(part, 0) for part in {**before.cpu_ns, **now.cpu_ns}
    }
    sums["wanted"] = now.wanted
    return Metrics(**sums, given_up=dict(now.given_up), held=dict(now.held), cpu_ns=cpu)
