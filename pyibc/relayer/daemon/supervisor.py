"""Workers for all paths of a configuration, restarted when the configuration changes."""

import logging
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from pyibc.relayer.blocks.feed import Rest
from pyibc.relayer.chain.endpoint import ChainEndpoint
from pyibc.relayer.clients.attestations.driver import drivers_between
from pyibc.relayer.clients.driver import Drivers
from pyibc.relayer.config.model import Config, PathConfig, is_pattern
from pyibc.relayer.daemon.chain_watch import ChainStatus
from pyibc.relayer.daemon.chains import Chain, Connect, SharedChain
from pyibc.relayer.daemon.channel_pattern import ChannelPattern, PatternWorkers
from pyibc.relayer.daemon.schedule import Schedule
from pyibc.relayer.daemon.worker import AnyLink, Sleep, Worker, WorkerStatus
from pyibc.relayer.paths.path import Path as ChannelPath

log = logging.getLogger("pyibc.relayer")

STOP_S = 15.0
"""Maximum seconds for the links to end when the daemon ends."""

OpenLink = Callable[[PathConfig, SharedChain, SharedChain, Path, Drivers, Sequence[ChannelPath]], AnyLink]
"""Opens the link of a path, or of some channels of one with patterns, with a journal file and drivers."""


class Changes(NamedTuple):
    """Names of paths that a new configuration ended and started."""

    ended: list[str]
    started: list[str]


class Supervisor:
    """All chains and paths of a daemon."""

    def __init__(self, config: Config, *, connect: Connect, open_link: OpenLink) -> None:
        """Start nothing before `start`."""
        self._config = config
        self._connect = connect
        self._open_link = open_link
        self._chains: dict[str, Chain] = {}
        self._workers: dict[str, Worker | PatternWorkers] = {}
        self._schedule = Schedule()

    @property
    def links(self) -> list[WorkerStatus]:
        """Status of the workers, sorted by path."""
        return [each for _, worker in sorted(self._workers.copy().items()) for each in worker.statuses]

    @property
    def chains(self) -> list[ChainStatus]:
        """Status of the chains, sorted by id."""
        return [chain.status for _, chain in sorted(self._chains.copy().items())]

    def start(self) -> None:
        """Start all chains and workers."""
        self._follow(self._config)

    def reload(self, config: Config) -> Changes:
        """Apply another configuration; unchanged paths go on, with their packets in flight.

        The nodes of all chains are judged anew.
        """
        before, self._config = self._config, config
        new = {chain.id: chain for chain in config.chains}
        old = {chain.id: chain for chain in before.chains}
        changed = {name for name in {**old, **new} if old.get(name) != new.get(name)}
        same = {
            path.label for path in before.paths if path in config.paths and not {path.a, path.b} & changed
        }
        if before.relayer != config.relayer:
            same = set()
        ended = sorted(set(self._workers) - same)
        self._end(ended)
        for name in changed & set(self._chains):
            self._chains.pop(name).end()
        for chain in self._chains.values():
            chain.renew_nodes()
        started = self._follow(config)
        log.info("reloaded", extra={"ended": ended, "started": started})
        return Changes(ended, started)

    def stop(self, timeout_s: float = STOP_S) -> bool:
        """End all workers and chains; return whether the workers ended in time. A kill loses no data."""
        ended = self._end(sorted(self._workers), timeout_s)
        for chain in self._chains.values():
            chain.end()
        self._schedule.close()
        return ended

    def _follow(self, config: Config) -> list[str]:
        for chain in config.chains:
            if chain.id not in self._chains:
                provider = partial(self._endpoint, chain.provider) if chain.provider else None
                self._chains[chain.id] = Chain(chain, self._connect, provider)
                self._chains[chain.id].start()
        started = [path for path in config.paths if path.label not in self._workers]
        for path in started:
            self._workers[path.label] = self._worker(config, path)
            self._workers[path.label].start(self._schedule, frozenset((path.a, path.b)))
        return sorted(path.label for path in started)

    def _endpoint(self, chain_id: str) -> ChainEndpoint:
        return self._chains[chain_id].endpoint()

    def _worker(self, config: Config, path: PathConfig) -> Worker | PatternWorkers:
        a, b = self._chains[path.a], self._chains[path.b]
        journal = Path(config.relayer.journal)
        opening = partial(_opened, self._open_link, path, a, b, journal)
        interval = config.relayer.interval
        worker = partial(Worker, interval=interval, forget=(a.forget, b.forget), sleep=_sleep_of(a, b))
        if not is_pattern(path):
            return worker(path.label, partial(opening, ()))
        pattern = ChannelPattern(path)
        return PatternWorkers(path.label, pattern, partial(_scanned, pattern, a, b), worker, opening)

    def _end(self, names: list[str], timeout_s: float = 20.0) -> bool:
        workers = [self._workers.pop(name) for name in names]
        for worker in workers:
            worker.end()
        until = monotonic() + timeout_s
        late = [worker.name for worker in workers if not worker.join(max(0.0, until - monotonic()))]
        if late:
            log.warning("left behind", extra={"paths": late})
        return not late


def _opened(
    open_link: OpenLink, path: PathConfig, a: Chain, b: Chain, journal: Path, channels: Sequence[ChannelPath]
) -> AnyLink:
    drivers = drivers_between(a.config.quorum, b.config.quorum)
    return open_link(path, a.endpoint(), b.endpoint(), journal, drivers, channels)


def _sleep_of(a: Chain, b: Chain) -> Sleep:
    """Return the function that lets a worker of `a` and `b` sleep."""

    def sleep(rest: tuple[Rest, Rest], wake: Callable[[], None]) -> bool:
        return all(
            chain.endpoint().feed.sleep(wake, each, wake) for chain, each in zip((a, b), rest, strict=True)
        )

    return sleep


def _scanned(pattern: ChannelPattern, a: Chain, b: Chain) -> bool:
    return pattern.scan(a.endpoint(), b.endpoint(), drivers_between(a.config.quorum, b.config.quorum))
