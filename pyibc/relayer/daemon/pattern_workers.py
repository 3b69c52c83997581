"""Workers of a path with patterns: one link for each pair of clients; new channels join while it runs."""

import logging
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from threading import Event, Lock
from time import monotonic

from pyibc.core.errors import IbcError
from pyibc.relayer.daemon.channel_pattern import ChannelPattern, ClientPair
from pyibc.relayer.daemon.pausing import Stopping, stopping_at
from pyibc.relayer.daemon.schedule import Schedule
from pyibc.relayer.daemon.worker import FIRST_S, LONGEST_S, AnyLink, Worker, WorkerState, WorkerStatus
from pyibc.relayer.metrics import Metrics
from pyibc.relayer.paths.path import Path

log = logging.getLogger("pyibc.relayer")

EVERY_S, MORE_S = 60.0, 10.0
"""Seconds between two scans, and if channels are left to be judged."""
END_S = 20.0
"""Maximum time for a link to end before it is opened again with more channels."""

OpenGroup = Callable[[Sequence[Path]], AnyLink]
"""Opens the link of channels that share their clients."""


class PatternWorkers:
    """Workers of the links of one pattern, and the search for channels."""

    def __init__(
        self,
        name: str,
        pattern: ChannelPattern,
        scan: Callable[[], bool],
        make_worker: Callable[[str, Callable[[], AnyLink]], Worker],
        open_group: OpenGroup,
        stop: Event | None = None,
    ) -> None:
        """Do nothing before `start`.

        Args:
            name: path name in logs and metrics; links add their clients to it.
            pattern: the channels.
            scan: lets the pattern look at both chains; returns whether it has more to judge.
            make_worker: makes the worker of a link from its name and the function that opens it.
            open_group: opens the link of some channels.
            stop: ends the search once it is set.
        """
        self.name = name
        self._pattern, self._scan = pattern, scan
        self._make_worker, self._open_group = make_worker, open_group
        self._stop = stop or Event()
        self._lock = Lock()
        self._workers: dict[ClientPair, tuple[tuple[Path, ...], Worker]] = {}
        self._late: list[Worker] = []  # ended for more channels, and still running
        self._status = WorkerStatus(name, WorkerState.STARTING, "", 0, Metrics(), ())
        self._schedule = Schedule()
        self._group: Hashable = None
        self._wake: Callable[[], None] | None = None  # once started
        self._ended = Event()

    @property
    def statuses(self) -> list[WorkerStatus]:
        """Status of the search for channels, and of each link."""
        with self._lock:
            workers = [worker for _, worker in self._workers.values()]
            return [self._status, *(worker.status for worker in workers)]

    def start(self, schedule: Schedule, group: Hashable = None) -> None:
        """Take turns in `schedule`: links in the threads of `group`, the search in one of its own."""
        self._schedule, self._group = schedule, group
        self._wake = schedule.add(self.turn, (group, self.name))

    def end(self) -> None:
        """Ask the search and all links to stop, without waiting."""
        self._stop.set()
        if self._wake is not None:
            self._wake()
        with self._lock:  # no worker is started after this
            for _, worker in self._workers.values():
                worker.end()

    def join(self, timeout_s: float) -> bool:
        """Wait for the end of the search and all links; return whether they have ended."""
        until_s = monotonic() + timeout_s
        has_ended = self._wake is None or self._ended.wait(timeout_s)
        running = [*self._late, *(worker for _, worker in self._workers.values())]
        ended = [worker.join(max(0.0, until_s - monotonic())) for worker in running]
        return all(ended) and has_ended

    def turn(self) -> float | None:
        """Look for channels; return the pause that is due then, seconds. None: the search has ended."""
        with stopping_at(self._stop), suppress(Stopping):
            if not self._stop.is_set():
                return self.step()
        self._ended.set()
        return None

    def step(self) -> float:
        """Scan once, and start the links of what was found; return the pause that is due then, seconds."""
        try:
            more = self._scan()
        except Exception as error:  # noqa: BLE001 - links go on, and the scan is repeated
            return self._failed(error)
        for pair, paths in self._pattern.groups.items():
            self._follow(pair, paths)
        told = self._status.channels, self._status.left_out, self._status.state
        status = self._status._replace(
            state=WorkerState.RELAYING,
            reason="",
            failures=0,
            channels=sum(len(paths) for paths in self._pattern.groups.values()),
            left_out=self._pattern.left_out,
            left_out_reasons=self._pattern.reasons,
        )
        if (status.channels, status.left_out, status.state) != told:
            facts: dict[str, object] = {"channels": status.channels, "left_out": status.left_out}
            facts |= {"path": self.name, "reasons": dict(self._pattern.reasons)}
            log.info("channels found", extra=facts)
        with self._lock:
            self._status = status
        return MORE_S if more else EVERY_S

    def _follow(self, pair: ClientPair, paths: tuple[Path, ...]) -> None:
        """Start the link of a pair of clients, anew if it has more channels now."""
        before = self._workers.get(pair)
        if before is not None:
            if before[0] == paths:
                return
            before[1].end()
            if not before[1].join(END_S):
                log.warning("left behind", extra={"paths": [before[1].name]})
                self._late = [*(each for each in self._late if not each.join(0)), before[1]]
        worker = self._make_worker(group_name(self.name, pair), lambda: self._open_group(paths))
        with self._lock:
            if not self._stop.is_set():
                self._workers[pair] = paths, worker
                worker.start(self._schedule, self._group)

    def _failed(self, error: Exception) -> float:
        failures = self._status.failures + 1
        pause_s = min(LONGEST_S, FIRST_S * 2.0 ** min(failures - 1, 16))
        reason = str(error) or type(error).__name__
        known = isinstance(error, (IbcError, OSError))
        facts = {"path": self.name, "error": type(error).__name__, "reason": reason, "pause_s": pause_s}
        log.log(logging.WARNING if known else logging.ERROR, "failed", extra=facts, exc_info=not known)
        with self._lock:
            self._status = self._status._replace(state=WorkerState.WAITING, reason=reason, failures=failures)
        return pause_s


def group_name(path: str, pair: ClientPair) -> str:
    """Return the name of one link of a path with patterns."""
    return f"{path} ({pair[0]}, {pair[1]})"
