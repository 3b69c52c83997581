"""Channels that match a pattern, grouped by their clients.

Anybody may open channels, over clients of his own or over ours. So channels are looked at one by one with
bounded work, those that cannot be relayed are left out with a reason, and their number is bounded.
"""

import logging
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from math import inf
from threading import Event, Lock
from time import monotonic
from typing import NamedTuple

from pyibc.core import paths as keys
from pyibc.core.errors import IbcError
from pyibc.relayer.chain.endpoint import ChainEndpoint
from pyibc.relayer.chain.listings import ListedChannel, all_channels
from pyibc.relayer.clients.driver import Drivers
from pyibc.relayer.clients.tendermint import DRIVERS
from pyibc.relayer.config.model import PathConfig, covers
from pyibc.relayer.daemon.schedule import Schedule
from pyibc.relayer.daemon.threads import Stopping, pause, stopping_at
from pyibc.relayer.daemon.worker import AnyLink, Worker, WorkerState, WorkerStatus, log_failure
from pyibc.relayer.errors import EndpointUnavailable, NodeBehind
from pyibc.relayer.metrics import Metrics
from pyibc.relayer.paths.audit import Audit
from pyibc.relayer.paths.candidates import channel_candidates, connection_to_b
from pyibc.relayer.paths.path import Path

Name = tuple[str, str]
"""Port and channel on a."""
ClientPair = tuple[str, str]
"""Clients on a and b."""

MAX_LISTED = 100_000
"""Maximum number of a chain's channels that are looked through."""
MAX_LINKS = 16
"""Maximum number of pairs of clients of one pattern; each has a link of its own."""
MAX_JUDGED, MAX_AUDITED = 500, 4
"""Maximum numbers of channels, and of pairs of clients, judged in one scan; a pair costs up to 400 calls."""
MAX_REASONS = 20
"""Maximum number of channels that are named with the reason why they are left out."""
LIST_S, RELIST_S = 300.0, 3600.0
"""Seconds between two listings if channels were opened, and in any case."""
RETRY_S = 60.0
"""Seconds until a channel that was left out is judged again; doubled each time, up to `RELIST_S`."""


class _Waiting(NamedTuple):
    """Channel that is not relayed, or not yet."""

    connection_id: str
    due_s: float
    refusals: int = 0
    reason: str = ""


class ChannelPattern:
    """Channels of a configured path with patterns."""

    def __init__(self, config: PathConfig, clock: Callable[[], float] = monotonic) -> None:
        """Look at nothing yet; `clock` returns seconds."""
        self._config = config
        self._clock = clock
        self._waiting: dict[Name, _Waiting] = {}
        self._elsewhere = set[str]()  # connections to other chains: their clients never change
        self._sequence: bytes | None = None
        self._listed_s = -inf
        self.groups: dict[ClientPair, tuple[Path, ...]] = {}
        """Usable channels by their clients."""

    @property
    def left_out(self) -> int:
        """Number of channels that match and cannot be relayed."""
        return sum(each.refusals > 0 for each in self._waiting.values())

    @property
    def reasons(self) -> dict[str, str]:
        """Reasons why channels are left out, by port and channel; of some of them."""
        refused = ((name, each.reason) for name, each in self._waiting.items() if each.refusals)
        return {"/".join(name): reason for name, reason in islice(refused, MAX_REASONS)}

    def scan(self, a: ChainEndpoint, b: ChainEndpoint, drivers: Drivers = DRIVERS) -> bool:
        """Look for new channels, and judge some of those that are due; return whether more are due now.

        Raises:
            EndpointUnavailable, MalformedAnswer: a chain does not answer, or its answer is malformed.
            IbcError: a chain does not list its channels.
        """
        self._list(a)
        audit = Audit(a, b, drivers, frozenset(self._config.accept), is_chosen=False)
        audited, judged = set[ClientPair](), 0
        for name, each in sorted(self._due(), key=lambda due: (due[1].due_s, len(due[0][1]), due[0])):
            pause(0)  # ends a scan of a worker that is asked to stop
            if each.connection_id in self._elsewhere:
                del self._waiting[name]
                continue
            if judged >= MAX_JUDGED:
                return True
            judged += 1
            try:
                self._judge(audit, ListedChannel(*name, each.connection_id), audited)
            except IbcError as error:
                if isinstance(error, EndpointUnavailable) and not isinstance(error, NodeBehind):
                    raise
                self._refuse(name, str(error))
        return any(self._due())

    def _due(self) -> Iterator[tuple[Name, _Waiting]]:
        now_s = self._clock()
        return ((name, each) for name, each in [*self._waiting.items()] if each.due_s <= now_s)

    def _list(self, a: ChainEndpoint) -> None:
        """List the channels of a if some may be new."""
        now_s, sequence = self._clock(), a.get(keys.NEXT_CHANNEL_SEQUENCE)
        age_s = now_s - self._listed_s
        if age_s < LIST_S or (sequence == self._sequence and age_s < RELIST_S):
            return
        if age_s >= RELIST_S:  # a chain's id changes with its revision, and a node may have been wrong
            self._elsewhere.clear()
        relayed = {path.a.name for paths in self.groups.values() for path in paths}
        for each in islice(all_channels(a), MAX_LISTED):
            name = each.port_id, each.channel_id
            known = name in self._waiting or name in relayed or each.connection_id in self._elsewhere
            if not known and covers(self._config, *name):
                self._waiting[name] = _Waiting(each.connection_id, now_s)
        self._sequence, self._listed_s = sequence, now_s

    def _judge(self, audit: Audit, listed: ListedChannel, audited: set[ClientPair]) -> None:
        """Take a channel into its group, or leave it out; leave it due if no more pairs may be audited."""
        name = listed.port_id, listed.channel_id
        connection = connection_to_b(audit, listed)
        if connection is None:
            self._elsewhere.add(listed.connection_id)
            del self._waiting[name]
            return
        pair = connection.client_id, connection.counterparty.client_id
        # guard: any-number-of-clients-is-audited drop
        #   test_strangers_clients_are_audited_a_few_at_a_time
        if pair not in audited and len(audited) >= MAX_AUDITED:
            return
        audited.add(pair)
        found = next(channel_candidates(audit, [listed]), None)
        if found is None or not found.is_usable:
            self._refuse(name, found.text if found is not None else "its connection has changed")
            return
        full = self._full(pair)
        if full:
            self._refuse(name, full)
            return
        self.groups[pair] = (*self.groups.get(pair, ()), found.path)
        del self._waiting[name]

    def _full(self, pair: ClientPair) -> str:
        """Return why no channel over `pair` may be added; empty: one may."""
        relayed = sum(len(each) for each in self.groups.values())
        # guard: a-pattern-without-a-limit test_a_pattern_has_at_most_so_many_channels
        if relayed >= self._config.max_channels:
            return f"{self._config.max_channels} channels are relayed: raise max_channels, or use `except`"
        # guard: a-pattern-with-any-number-of-links drop:len test_a_pattern_has_at_most_so_many_links
        if pair not in self.groups and len(self.groups) >= MAX_LINKS:
            return f"{MAX_LINKS} pairs of clients are relayed: use `except`, or a path of its own"
        return ""

    def _refuse(self, name: Name, reason: str) -> None:
        before = self._waiting[name]
        pause_s = min(RELIST_S, RETRY_S * 2.0 ** min(before.refusals, 16))
        self._waiting[name] = _Waiting(
            before.connection_id, self._clock() + pause_s, before.refusals + 1, reason[:300]
        )


def scan_all(
    config: PathConfig, a: ChainEndpoint, b: ChainEndpoint, drivers: Drivers = DRIVERS
) -> ChannelPattern:
    """Return a pattern whose channels have all been judged once. Errors as for `ChannelPattern.scan`."""
    found = ChannelPattern(config)
    while found.scan(a, b, drivers):
        pass
    return found


# -- workers of a path with patterns: one link for each pair of clients; new channels join while it runs

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
    ) -> None:
        """Do nothing before `start`.

        Args:
            name: path name in logs and metrics; links add their clients to it.
            pattern: the channels.
            scan: lets the pattern look at both chains; returns whether it has more to judge.
            make_worker: makes the worker of a link from its name and the function that opens it.
            open_group: opens the link of some channels.
        """
        self.name = name
        self._pattern, self._scan = pattern, scan
        self._make_worker, self._open_group = make_worker, open_group
        self._stop = Event()
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
        reason, pause_s = log_failure(self.name, error, failures)
        with self._lock:
            self._status = self._status._replace(state=WorkerState.WAITING, reason=reason, failures=failures)
        return pause_s


def group_name(path: str, pair: ClientPair) -> str:
    """Return the name of one link of a path with patterns."""
    return f"{path} ({pair[0]}, {pair[1]})"
