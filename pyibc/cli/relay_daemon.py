"""`pyibc relay start` and what asks about its paths: a relayer of many chains, from one file."""

import json
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any

import click

from ibc_core.errors import IbcError
from ibc_relayer.daemon.config import Config, PathConfig, read_config
from ibc_relayer.daemon.connecting import connect
from ibc_relayer.daemon.links import open_link
from ibc_relayer.daemon.logs import log_to
from ibc_relayer.daemon.supervisor import Supervisor
from ibc_relayer.errors import WrongConfiguration
from pyibc.cli.reporting import reporting
from pyibc.cli.stopping import stopped_by_signals

CONFIG = click.option(
    "--config",
    "file",
    type=click.Path(path_type=Path),
    default=Path("relayer.toml"),
    show_default=True,
    help="Chains and paths (docs/relayer.md).",
)
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
reports = reporting((IbcError, OSError), wrong_use=(WrongConfiguration,))


@click.command()
@CONFIG
@reports
def start(file: Path) -> None:
    """Relay all paths of a configuration until told to stop.

    Nothing ends it but a wrong configuration at its start (exit code 2) and SIGINT or SIGTERM (exit code 0; 3
    with packets left). SIGHUP reads the file again: chains and paths come and go, the others are not touched.
    Logs are lines of JSON on stderr.
    """
    config = read_config(file)
    log_to(sys.stderr, config.relayer.log)
    supervisor = Supervisor(config, connect=connect, open_link=open_link)
    stop, again = threading.Event(), threading.Event()
    with stopped_by_signals(stop), _reloaded_by_hangup(again), _served(config.relayer.listen, supervisor):
        supervisor.start()
        while not stop.wait(0.2):
            if again.is_set():
                again.clear()
                _reload(supervisor, file)
        left = sum(each.packets for link in supervisor.links for each in link.waiting)
        supervisor.stop()
    if left:
        sys.exit(3)


@contextmanager
def _reloaded_by_hangup(again: threading.Event) -> Iterator[None]:
    before = signal.signal(signal.SIGHUP, lambda *_: again.set())
    try:
        yield
    finally:
        signal.signal(signal.SIGHUP, before)


def _reload(supervisor: Supervisor, file: Path) -> None:
    """Follows the file as it is now; a wrong one changes nothing."""
    from ibc_relayer.daemon.supervisor import log

    try:
        config = read_config(file)
    except WrongConfiguration as error:
        log.error("not reloaded", extra={"reason": str(error)})
        return
    supervisor.reload(config)


@contextmanager
def _served(listen: str, supervisor: Supervisor) -> Iterator[None]:
    """/metrics and /health, if the configuration says where."""
    if not listen:
        yield
        return
    from ibc_indexer.live.server import Answer, Server
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


@click.command()
@CONFIG
@JSON
@reports
def check(file: Path, as_json: bool) -> None:
    """Try every chain and path of a configuration once; submits nothing.

    Exit code 3 if one cannot be relayed.
    """
    config = read_config(file)
    found = [*map(_checked_chain, config.chains), *(_checked_path(config, path) for path in config.paths)]
    for each in found:
        if as_json:
            click.echo(json.dumps(each))
        else:
            fate = "ok" if not each["reason"] else f"FAILED: {each['reason']}"
            click.echo(f"{each['kind']} {each['name']}: {fate}")
    if any(each["reason"] for each in found):
        sys.exit(3)


def _checked_chain(chain: Any) -> dict[str, Any]:
    return _tried("chain", chain.id, lambda: connect(chain).tip())


def _checked_path(config: Config, path: PathConfig) -> dict[str, Any]:
    def opened() -> None:
        from tempfile import TemporaryDirectory

        ends = connect(config.chain(path.a)), connect(config.chain(path.b))
        with TemporaryDirectory() as folder:
            open_link(path, *ends, Path(folder) / "journal.db").close()

    return _tried("path", path.label, opened)


def _tried(kind: str, name: str, call: Callable[[], object]) -> dict[str, Any]:
    try:
        call()
    except (IbcError, OSError, ValueError) as error:
        return {"kind": kind, "name": name, "reason": str(error) or type(error).__name__}
    return {"kind": kind, "name": name, "reason": ""}


COMMANDS = (start, check)
