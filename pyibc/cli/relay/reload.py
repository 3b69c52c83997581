"""`pyibc relay reload`: let the daemon read its configuration again."""

import json
import os
import signal
import time
from pathlib import Path

import click

from pyibc.cli.relay.configured import reports, with_config, with_json
from pyibc.cli.reporting import read_relayer_config
from pyibc.relayer.daemon.status_file import DaemonStatus, namespace, read_status
from pyibc.relayer.errors import WrongConfiguration

TIMEOUT_S = 60.0
"""Maximum time for paths to end, in seconds; each has twenty seconds."""
POLL_S = 0.05


@click.command()
@with_config
@with_json
@reports
def command(file: Path, as_json: bool) -> None:
    """Let the running daemon apply its configuration file; print the paths that ended and started.

    A wrong file is refused (exit code 2) and changes nothing. The daemon is that of the file's journal; exit
    code 1 if there is none.
    """
    journal = Path(read_relayer_config(file).relayer.journal)
    before = read_status(journal)
    if before is None:
        raise click.ClickException(f"no daemon has the journal {journal}")
    if before.where != namespace():
        raise click.ClickException("the daemon runs in another container: run this command there")
    os.kill(before.pid, signal.SIGHUP)
    after = _wait_for_reload(journal, before)
    if after.reason:
        raise WrongConfiguration("not reloaded", after.reason)
    changes = {"ended": list(after.ended), "started": list(after.started)}
    click.echo(json.dumps(changes) if as_json else "\n".join(_lines(changes)))


def _wait_for_reload(journal: Path, before: DaemonStatus) -> DaemonStatus:
    until = time.monotonic() + TIMEOUT_S
    while time.monotonic() < until:
        found = read_status(journal)
        if found is not None and found.pid == before.pid and found.reloads > before.reloads:
            return found
        time.sleep(POLL_S)
    raise click.ClickException(f"the daemon has not answered within {TIMEOUT_S:g} s: see its log")


def _lines(changes: dict[str, list[str]]) -> list[str]:
    lines = [f"{what}: {name}" for what, names in changes.items() for name in names]
    return lines or ["no path ended or started"]
