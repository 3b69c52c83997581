"""`pyibc relay start`: the daemon."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from http import HTTPStatus
from pathlib import Path

import click

from ibc_core.collector import settled_collector
from ibc_relayer.daemon.config import read_config
from ibc_relayer.daemon.connecting import Connector
from ibc_relayer.daemon.links import open_for_daemon
from ibc_relayer.daemon.logs import log_to
from ibc_relayer.daemon.running import Running
from ibc_relayer.daemon.supervisor import Supervisor, log
from ibc_relayer.errors import WrongConfiguration
from ibc_relayer.ledger import Ledger
from pyibc.cli.relay_configured import WORK_LEFT, reports, with_config
from pyibc.cli.stopping import stopped_by_signals


@click.command()
@with_config
@reports
def command(file: Path) -> None:
    """Relay all paths of a configuration until told to stop.

    Nothing ends it but a wrong configuration at its start (exit code 2) and SIGINT or SIGTERM (exit code 0; 3
    with packets left). SIGHUP, or `reload`, has it read the file again: chains and paths come and go, the
    others are not touched. Logs are lines of JSON on stderr.
    """
    config = read_config(file)
    log_to(sys.stderr, config.relayer.log)
    ledger = Ledger(Path(config.relayer.ledger))
    opening = partial(open_for_daemon, watch=config.relayer.watch)
    supervisor = Supervisor(config, connect=Connector(ledger), open_link=opening)
    stop, again = threading.Event(), threading.Event()
    with (
        stopped_by_signals(stop),
        _reloaded_by_hangup(again),
        closing(Running(Path(config.relayer.journal), os.getpid())) as running,
        _served(config.relayer.listen, supervisor),
    ):
        supervisor.start()
        with settled_collector():
            while not stop.wait(0.2):
                if again.is_set():
                    again.clear()
                    _reload(supervisor, file, running)
        left = sum(each.packets for link in supervisor.links for each in link.waiting)
        supervisor.stop()
    ledger.close()
    if left:
        sys.exit(WORK_LEFT)


@contextmanager
def _reloaded_by_hangup(again: threading.Event) -> Iterator[None]:
    before = signal.signal(signal.SIGHUP, lambda *_: again.set())
    try:
        yield
    finally:
        signal.signal(signal.SIGHUP, before)


def _reload(supervisor: Supervisor, file: Path, running: Running) -> None:
    """Follows the file as it is now; a wrong one changes nothing."""
    try:
        config = read_config(file)
    except WrongConfiguration as error:
        log.error("not reloaded", extra={"reason": str(error)})
        running.refused(str(error))
        return
    running.reloaded(supervisor.reload(config))


@contextmanager
def _served(listen: str, supervisor: Supervisor) -> Iterator[None]:
    """/metrics and /health, if the configuration says where."""
    if not listen:
        yield
        return
    from ibc_http.server import Answer, Server
    from ibc_relayer.daemon.exposition import CONTENT_TYPE, Exposition, Seen, health

    def see() -> Seen:
        return Seen(supervisor.links, supervisor.chains)

    def told(_: str) -> Answer:
        well, body = health(see())
        status = HTTPStatus.OK if well else HTTPStatus.SERVICE_UNAVAILABLE
        return Answer(status, "application/json", body)

    host, _, port = listen.rpartition(":")
    exposition = Exposition(see)
    routes = {
        "/metrics": lambda _: Answer(HTTPStatus.OK, CONTENT_TYPE, exposition.text()),
        "/health": told,
    }
    server = Server(routes, host.strip("[]") or "127.0.0.1", int(port), "default-src 'none'")
    server.start()
    click.echo(f"metrics: {server.url}/metrics", err=True)
    try:
        yield
    finally:
        server.stop()
