"""`pyibc relay query`: query paths and pending packets."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from pyibc.cli.relay import configured
from pyibc.cli.reporting import read_relayer_config
from pyibc.relayer.clients.attestations.driver import drivers_between
from pyibc.relayer.daemon.chains import Chain
from pyibc.relayer.links.journal import deferred_in
from pyibc.relayer.links.link import Link
from pyibc.relayer.packets.backlog import DeferredMessage
from pyibc.relayer.paths.discovery import discover

SHOWN = 20
"""Maximum number of deferred messages listed as text."""


@click.group("query")
def command() -> None:
    """Query the chains of a configuration; submits nothing."""


@command.command("pending")
@configured.over_paths
@configured.reports
def pending(file: Path, names: tuple[str, ...], as_json: bool) -> None:
    """Count pending packets by path and direction, and list deferred messages with their reasons."""
    config = read_relayer_config(file)
    with configured.connected(config) as chains:
        for path in configured.chosen(file, config, names):
            for part in configured.link_parts(path, chains):
                for row in _pending(part, chains, Path(config.relayer.journal)):
                    click.echo(json.dumps(row) if as_json else "\n".join(_lines(row)))


def _pending(part: configured.LinkPart, chains: dict[str, Chain], journal: Path) -> Iterator[dict[str, Any]]:
    with configured.temporary_link(part, chains) as link:
        deferred = list[DeferredMessage]()
        if isinstance(link, Link):
            link.planned()
            deferred = link.deferred(deferred_in(journal))
        for each in link.pending_counts():
            row = {"path": part.name, **each._asdict()}
            mine = [m for m in deferred if (m.src_chain, m.end) == (each.src_chain, each.end)]
            row["held"] = [{"message": m.message, "sequence": m.sequence, "reason": m.reason} for m in mine]
            yield row


def _lines(row: dict[str, Any]) -> Iterator[str]:
    oldest = f", the oldest is {row['oldest']}" if row["oldest"] else ""
    direction = f"{row['src_chain']} {row['end']} -> {row['dst_chain']}"
    yield f"{row['path']}: {direction}: {row['packets']} packets, {row['received']} of them received{oldest}"
    for message in row["held"][:SHOWN]:
        yield f"  held: {message['message']} {message['sequence']}: {message['reason']}"
    if len(row["held"]) > SHOWN:
        yield f"  held: {len(row['held']) - SHOWN} more (--json lists all)"


@command.command("paths")
@click.argument("a")
@click.argument("b")
@click.option("--port", default="*", show_default=True, help="Pattern of ports on A.")
@click.option("--channel", default="*", show_default=True, help="Pattern of channels, or of clients, on A.")
@configured.with_config
@configured.with_json
@configured.reports
def paths(a: str, b: str, port: str, channel: str, file: Path, as_json: bool) -> None:
    """List channels and pairs of clients from chain A to chain B, and why some are not usable."""
    config = read_relayer_config(file)
    with configured.connected(config) as chains:
        for name in (a, b):
            if name not in chains:
                raise click.BadParameter(f"no chain is called {name!r} in {file}")
        ends = chains[a].endpoint(), chains[b].endpoint()
        drivers = drivers_between(config.chain(a).quorum, config.chain(b).quorum)
        for each in discover(*ends, port=port, channel=channel, drivers=drivers):
            row = {"name": each.name, "usable": each.is_usable, "states": list(each.states)}
            row["reasons"] = [str(fault) for fault in each.faults]
            row["differences"] = [difference._asdict() for difference in each.differences]
            click.echo(json.dumps(row) if as_json else each.text)


command.add_command(paths, "path")  # an alias for users who look for one path
