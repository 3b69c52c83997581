"""`pyibc relay plan`: a dry run."""

import json
from pathlib import Path
from typing import Any

import click

from ibc_relayer.daemon.config import PathConfig, read_config
from ibc_relayer.link import Link
from ibc_relayer.task import Task
from pyibc.cli.relay_configured import (
    chosen,
    connected,
    looked_at,
    over_paths,
    reports,
)


@click.command()
@over_paths
@reports
def command(file: Path, names: tuple[str, ...], as_json: bool) -> None:
    """Show the messages that would be submitted now, and submit none.

    Queues tell what waits, not by which messages.
    """
    config = read_config(file)
    with connected(config) as chains:
        for path in chosen(file, config, names):
            with looked_at(path, chains) as link:
                rows = _of_link(path, link) if isinstance(link, Link) else []
            for row in rows:
                click.echo(json.dumps(row) if as_json else _line(row))


def _of_link(path: PathConfig, link: Link) -> list[dict[str, Any]]:
    planned = [_row(path, task) for task in link.planned()]
    held = [
        {"path": path.label, "held": name, "reason": reason} for name, reason in link.metrics.held.items()
    ]
    return planned + held


def _row(path: PathConfig, task: Task) -> dict[str, Any]:
    return {
        "path": path.label,
        "chain": task.target_end.chain_id,
        "message": task.key.kind.value,
        "end": "/".join(task.target_end.name),
        "sequence": task.key.sequence,
    }


def _line(row: dict[str, Any]) -> str:
    if "held" in row:
        return f"{row['path']}: held back: {row['held']}: {row['reason']}"
    return f"{row['path']}: {row['message']} {row['sequence']} on {row['chain']} {row['end']}"
