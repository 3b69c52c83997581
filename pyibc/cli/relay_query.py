"""`pyibc relay query`: what the chains' states say of paths and packets."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from ibc_relayer.attestations.between import drivers_between
from ibc_relayer.daemon.config import read_config
from ibc_relayer.find_path import discover
from ibc_relayer.journal import held_in
from ibc_relayer.link import Link
from ibc_relayer.waiting import HeldMessage
from pyibc.cli.relay_configured import (
    chosen,
    connected,
    looked_at,
    over_paths,
    reports,
    with_config,
    with_json,
)

SHOWN = 20
"""Packets held back that are listed as text."""


@click.group("query")
def command() -> None:
    """Ask the chains of a configuration; submits nothing."""


@command.command("pending")
@over_paths
@reports
def pending(file: Path, names: tuple[str, ...], as_json: bool) -> None:
    """Count the packets whose life is not over, by path and direction, and list those held back, and why."""
    config = read_config(file)
    with connected(config) as chains:
        for path in chosen(file, config, names):
            with looked_at(path, chains) as link:
                held = list[HeldMessage]()
                if isinstance(link, Link):
                    link.planned()
                    held = link.held(held_in(Path(config.relayer.journal)))
                for each in link.waiting():
                    row = {"path": path.label, **each._asdict()}
                    mine = [h for h in held if (h.src_chain, h.end) == (each.src_chain, each.end)]
                    row["held"] = [
                        {"message": h.message, "sequence": h.sequence, "reason": h.reason} for h in mine
                    ]
                    click.echo(json.dumps(row) if as_json else "\n".join(_lines(row)))


def _lines(row: dict[str, Any]) -> Iterator[str]:
    oldest = f", the oldest is {row['oldest']}" if row["oldest"] else ""
    way = f"{row['src_chain']} {row['end']} -> {row['dst_chain']}"
    yield f"{row['path']}: {way}: {row['packets']} packets, {row['received']} of them received{oldest}"
    for held in row["held"][:SHOWN]:
        yield f"  held: {held['message']} {held['sequence']}: {held['reason']}"
    if len(row["held"]) > SHOWN:
        yield f"  held: {len(row['held']) - SHOWN} more (--json lists all)"


@command.command("paths")
@click.argument("a")
@click.argument("b")
@click.option("--port", default="*", show_default=True, help="Pattern of ports on A.")
@click.option("--channel", default="*", show_default=True, help="Pattern of channels, or of clients, on A.")
@with_config
@with_json
@reports
def paths(a: str, b: str, port: str, channel: str, file: Path, as_json: bool) -> None:
    """List channels and pairs of clients from chain A to chain B, and what speaks against each."""
    config = read_config(file)
    with connected(config) as chains:
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


command.add_command(paths, "path")  # `query path` is what one types who looks for one
