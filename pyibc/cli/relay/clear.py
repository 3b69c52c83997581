"""`pyibc relay clear`: relay the packets that are pending now."""

import json
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import click

from pyibc.cli.files import read_relayer_config
from pyibc.cli.progress import progress
from pyibc.cli.relay.configured import (
    WORK_LEFT,
    LinkPart,
    chosen,
    connected,
    link_parts,
    over_paths,
    reports,
    temporary_link,
)
from pyibc.core.errors import IbcError
from pyibc.relayer.config.model import PathConfig
from pyibc.relayer.daemon.chains import Chain
from pyibc.relayer.metrics import Metrics, acknowledged_text
from pyibc.relayer.money.ledger import Ledger
from pyibc.relayer.money.spending_file import SUFFIX, SpendingFile


@click.command()
@over_paths
@reports
def command(file: Path, names: tuple[str, ...], as_json: bool) -> None:
    """Relay pending packets, path after path, until nothing more can be done; then end.

    It may run beside the daemon, and shares its budgets. Exit code 3 if packets are left, or a path failed.
    """
    config, left = read_relayer_config(file), False
    with (
        closing(Ledger(Path(config.relayer.ledger))) as ledger,
        closing(SpendingFile(Path(config.relayer.journal + SUFFIX))) as spending,
        connected(config, ledger, spending) as chains,
    ):
        for path in chosen(file, config, names):
            for row in _clear_all(path, chains):
                left = left or bool(row["left"] or row["reason"])
                click.echo(json.dumps(row) if as_json else _line(row))
    if left:
        sys.exit(WORK_LEFT)


def _clear_all(path: PathConfig, chains: dict[str, Chain]) -> Iterator[dict[str, Any]]:
    try:
        parts = link_parts(path, chains)
    except (IbcError, OSError) as error:
        yield _row(path.label, Metrics(), 0, str(error))
        return
    for part in parts:
        yield _clear(part, chains)


def _clear(part: LinkPart, chains: dict[str, Chain]) -> dict[str, Any]:
    done, left, reason = Metrics(), 0, ""
    try:
        with temporary_link(part, chains) as link:
            try:
                with progress(f"relaying {part.name}"):
                    link.until_idle()
            finally:
                done, left = link.metrics, sum(each.packets for each in link.pending_counts())
    except (IbcError, OSError) as error:
        reason = str(error)
    return _row(part.name, done, left, reason)


def _row(name: str, done: Metrics, left: int, reason: str) -> dict[str, Any]:
    counts = {each: getattr(done, each) for each in ("delivered", "acknowledged", "failed", "timed_out")}
    return {"path": name, **counts, "left": left, "reason": reason}


def _line(row: dict[str, Any]) -> str:
    answered = acknowledged_text(row["acknowledged"], row["failed"])
    counts = f"delivered {row['delivered']}, {answered}, timed out {row['timed_out']}"
    return f"{row['path']}: {counts}, left {row['left']}{'; ' + row['reason'] if row['reason'] else ''}"
