"""`pyibc relay start`: run the daemon."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from http import HTTPStatus
from pathlib import Path

import click

from pyibc.cli.relay.configured import WORK_LEFT, reports, with_config
from pyibc.cli.reporting import stopped_by_signals, told_of_config
from pyibc.core.garbage_collection import tuned_gc
from pyibc.relayer.config.model import Config
from pyibc.relayer.config.source import ConfigSource
from pyibc.relayer.daemon.chain_watch import ChainStatus
from pyibc.relayer.daemon.connecting import Connector
from pyibc.relayer.daemon.exposition import log_to
from pyibc.relayer.daemon.links import open_for_daemon
from pyibc.relayer.daemon.status_file import StatusFile
from pyibc.relayer.daemon.supervisor import Supervisor, log
from pyibc.relayer.daemon.threads import Stopping, ended_in_time, stopping_at
from pyibc.relayer.daemon.troubles import Trouble, Troubles, troubles_of
from pyibc.relayer.daemon.worker import WorkerStatus
from pyibc.relayer.errors import WrongConfiguration
from pyibc.relayer.money.ledger import Ledger
from pyibc.relayer.money.spending_file import SUFFIX, SpendingFile

TICK_S = 0.2
"""Maximum time until a reload begins, in seconds."""
LOOK_TICKS = 5
"""Ticks between two looks at all paths and chains."""

DaemonState = tuple[list[WorkerStatus], list[ChainStatus], list[Trouble]]


@click.command()
@with_config
@reports
def command(file: Path) -> None:
    """Relay all paths of a configuration until interrupted.

    The daemon ends only on a wrong configuration at its start (exit code 2) and on SIGINT or SIGTERM, within
    20 seconds (exit code 0; 3 if packets are left, or something did not end in time). SIGHUP, or `reload`,
    lets it read the file again: chains and paths are added and removed, the others go on. Logs are lines of
    JSON on stderr.
    """
    stop, again = threading.Event(), threading.Event()
    with (
        stopped_by_signals(stop),
        _reloaded_by_hangup(again),
        stopping_at(stop),
        closing(ConfigSource(file)) as source,
        ended_in_time(stop, WORK_LEFT),
    ):
        with suppress(Stopping), told_of_config():  # Stopping: while a command printed a key
            config = source.read()
        if stop.is_set():
            return
        log_to(sys.stderr, config.relayer.log)
        left = _run(config, source, stop, again)
    if left:
        sys.exit(WORK_LEFT)


def _run(config: Config, source: ConfigSource, stop: threading.Event, again: threading.Event) -> int:
    """Relay until `stop` is set; return the number of packets that are left."""
    opening = partial(open_for_daemon, watch=config.relayer.watch)
    with (
        closing(StatusFile(Path(config.relayer.journal), os.getpid())) as status_file,
        closing(Ledger(Path(config.relayer.ledger))) as ledger,
        closing(SpendingFile(Path(config.relayer.journal + SUFFIX))) as spending,
    ):
        troubles = Troubles()
        connector = Connector(ledger, source.wallets, spending)
        supervisor = Supervisor(config, connect=connector, open_link=opening)

        def look() -> DaemonState:
            links, chains = supervisor.links, supervisor.chains
            return links, chains, troubles.update(troubles_of(links, chains))

        with _served(config.relayer.listen, look):
            supervisor.start()
            with tuned_gc(), suppress(Stopping):
                _attend(stop, again, look, partial(_reload, supervisor, source, status_file))
            left = sum(each.packets for link in supervisor.links for each in link.pending)
            supervisor.stop()
    return left


def _attend(
    stop: threading.Event, again: threading.Event, look: Callable[[], object], reload: Callable[[], None]
) -> None:
    """Reload whenever `again` is set, and look for troubles once a second, until `stop` is set."""
    ticks = 0
    while not stop.wait(TICK_S):
        # guard: troubles-are-looked-for-at-every-tick always test_troubles_are_looked_for_once_a_second
        if ticks % LOOK_TICKS == 0:
            look()
        ticks += 1
        if again.is_set():
            again.clear()
            reload()


@contextmanager
def _reloaded_by_hangup(again: threading.Event) -> Iterator[None]:
    before = signal.signal(signal.SIGHUP, lambda *_: again.set())
    try:
        yield
    finally:
        signal.signal(signal.SIGHUP, before)


def _reload(supervisor: Supervisor, source: ConfigSource, status_file: StatusFile) -> None:
    """Apply the configuration file again; a wrong one changes nothing."""
    try:
        config = source.read()
    except WrongConfiguration as error:
        log.error("not reloaded", extra={"reason": str(error)})
        status_file.refused(str(error))
        return
    status_file.reloaded(supervisor.reload(config))


@contextmanager
def _served(listen: str, look: Callable[[], DaemonState]) -> Iterator[None]:
    """Serve /metrics and /health if the configuration has an address for them."""
    if not listen:
        yield
        return
    from pyibc.http.server import Response, Server
    from pyibc.relayer.daemon.exposition import CONTENT_TYPE, DaemonSnapshot, Exposition, health

    def snapshot() -> DaemonSnapshot:
        return DaemonSnapshot(*look())

    def health_answer(_: str) -> Response:
        well, body = health(snapshot())
        status = HTTPStatus.OK if well else HTTPStatus.SERVICE_UNAVAILABLE
        return Response(status, "application/json", body)

    host, _, port = listen.rpartition(":")
    exposition = Exposition(snapshot)
    routes = {
        "/metrics": lambda _: Response(HTTPStatus.OK, CONTENT_TYPE, exposition.text()),
        "/health": health_answer,
    }
    try:
        server = Server(routes, host.strip("[]") or "127.0.0.1", int(port), "default-src 'none'")
    except OSError as error:
        reason = f"{error.strerror or error}: choose another address"
        raise WrongConfiguration(f"relayer.listen {listen}", reason) from error
    server.start()
    click.echo(f"metrics: {server.url}/metrics", err=True)
    try:
        yield
    finally:
        server.stop()
