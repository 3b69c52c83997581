"""`pyibc relay reload`: has the daemon read its configuration again."""

import json
import os
import signal
import time
from pathlib import Path

import click

from ibc_relayer.daemon.config import read_config
from ibc_relayer.daemon.running import Told, namespace, running
from pyibc.cli.relay_configured import reports, with_config, with_json

PATIENCE_S = 60.0
"""For paths to end: each is given twenty seconds."""
POLL_S = 0.05


@click.command()
@with_config
@with_json
@reports
def command(file: Path, as_json: bool) -> None:
    """Have the running daemon follow its configuration as it is now; says which paths ended and started.

    A wrong file is refused here (exit code 2) and changes nothing. The daemon is the one with the file's
    journal; exit code 1 if there is none.
    """
    journal = Path(read_config(file).relayer.journal)
    before = running(journal)
    if before is None:
        raise click.ClickException(f"no daemon has the journal {journal}")
    if before.where != namespace():
        raise click.ClickException("the daemon runs in another container: run this command there")
    os.kill(before.pid, signal.SIGHUP)
    after = _answered(journal, before)
    if after.reason:
        raise click.ClickException(f"not reloaded: {after.reason}")
    told = {"ended": list(after.ended), "started": list(after.started)}
    click.echo(json.dumps(told) if as_json else "\n".join(_lines(told)))


def _answered(journal: Path, before: Told) -> Told:
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        found = running(journal)
        if found is not None and found.pid == before.pid and found.reloads > before.reloads:
            return found
        time.sleep(POLL_S)
    raise click.ClickException(f"the daemon has not answered within {PATIENCE_S:g} s: its log tells why")


def _lines(told: dict[str, list[str]]) -> list[str]:
    lines = [f"{what}: {name}" for what, names in told.items() for name in names]
    return lines or ["no path ended or started"]
