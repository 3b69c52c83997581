"""`pyibc relay plan`: show the messages that would be submitted."""

import json
from pathlib import Path
from typing import Any

import click

from pyibc.cli.relay import configured
from pyibc.cli.reporting import read_relayer_config
from pyibc.relayer.links.link import Link
from pyibc.relayer.packets.task import Task


@click.command()
@configured.over_paths
@configured.reports
def command(file: Path, names: tuple[str, ...], as_json: bool) -> None:
    """Show the messages that would be submitted now, and submit none.

    For queues, use `query pending`: their messages are not listed.
    """
    config = read_relayer_config(file)
    with configured.connected(config) as chains:
        for path in configured.chosen(file, config, names):
            for part in configured.link_parts(path, chains):
                with configured.temporary_link(part, chains) as link:
                    rows = _link_rows(part.name, link) if isinstance(link, Link) else []
                for row in rows:
                    click.echo(json.dumps(row) if as_json else _line(row))


def _link_rows(path: str, link: Link) -> list[dict[str, Any]]:
    planned = [_row(path, task) for task in link.planned()]
    deferred = [{"path": path, "held": name, "reason": reason} for name, reason in link.metrics.held.items()]
    return planned + deferred


def _row(path: str, task: Task) -> dict[str, Any]:
    return {
        "path": path,
        "chain": task.target_end.chain_id,
        "message": task.key.kind.value,
        "end": "/".join(task.target_end.name),
        "sequence": task.key.sequence,
    }


def _line(row: dict[str, Any]) -> str:
    if "held" in row:
        return f"{row['path']}: held back: {row['held']}: {row['reason']}"
    return f"{row['path']}: {row['message']} {row['sequence']} on {row['chain']} {row['end']}"
