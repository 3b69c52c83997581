"""`pyibc relay upgrade`: move light clients to the next revision of their chains."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from pyibc.cli.progress import progress
from pyibc.cli.relay import configured
from pyibc.cli.relay.configured import connected
from pyibc.cli.reporting import read_relayer_config
from pyibc.core.errors import IbcError
from pyibc.relayer.clients.foreign_client import ForeignClient
from pyibc.relayer.clients.upgrade import planned_height, upgrade
from pyibc.relayer.config.model import PathConfig
from pyibc.relayer.daemon.chains import Chain
from pyibc.relayer.errors import WrongConfiguration
from pyibc.relayer.links.outcomes import refusal
from pyibc.relayer.rpc.client import printable

Chains = dict[str, Chain]
Place = tuple[str, str]
"""Chain and client."""


@click.command()
@configured.over_paths
@click.option(
    "--client",
    "clients",
    metavar="CHAIN/CLIENT",
    multiple=True,
    help="Only this client; may be repeated.  [default: those of the paths]",
)
@configured.reports
def command(file: Path, names: tuple[str, ...], as_json: bool, clients: tuple[str, ...]) -> None:
    """Upgrade the clients of chains that have halted for a planned upgrade, and say why others are not.

    The daemon with `watch` does so by itself. Exit code 3 if a client has not followed its chain's plan yet,
    or cannot be examined; 2 if the configuration has no such path or chain.
    """
    config, left = read_relayer_config(file), False
    if clients and names:
        raise click.UsageError("give either --path or --client")
    with connected(config, config.relayer) as chains:
        places = dict.fromkeys(_named(file, text, chains) for text in clients)
        for path in () if clients else configured.chosen(file, config, names):
            try:
                places.update(dict.fromkeys(_places(path, chains)))
            except (IbcError, OSError) as error:
                left = True
                _show({"path": path.label, "upgraded": False, "reason": str(error)}, as_json=as_json)
        for place in places:
            row = _upgrade(place, chains)
            left = left or row.pop("left")
            _show(row, as_json=as_json)
    if left:
        sys.exit(configured.WORK_LEFT)


def _named(file: Path, text: str, chains: Chains) -> Place:
    chain_id, _, client_id = text.rpartition("/")
    if chain_id not in chains:
        reason = f"no chain is called {chain_id!r}: name a client as CHAIN/CLIENT, with {' or '.join(chains)}"
        raise WrongConfiguration(str(file), reason)
    return chain_id, client_id


def _places(path: PathConfig, chains: Chains) -> Iterator[Place]:
    """Yield the clients of a path that expire, as all that can be upgraded do."""
    for part in configured.link_parts(path, chains):
        with configured.temporary_link(part, chains) as link:
            for each in link.metrics.expiries:
                yield each.chain, each.client


def _upgrade(place: Place, chains: Chains) -> dict[str, Any]:
    row = {"chain": place[0], "client": place[1], "upgraded": False, "left": True}
    try:
        with progress(f"upgrading {place[1]} of {place[0]}"):
            return row | _result(place, chains)
    except (IbcError, OSError) as error:
        return row | {"reason": printable(str(error))}


def _result(place: Place, chains: Chains) -> dict[str, Any]:
    """Upgrade a client; return whether that succeeded or something is left to do, and the reason."""
    host = chains[place[0]].endpoint()
    tracked = ForeignClient(host, host, place[1]).view().chain_id
    if tracked not in chains:
        return {"reason": printable(f"tracks {tracked[:64]!r}, which the configuration does not have")}
    client = ForeignClient(host, chains[tracked].endpoint(), place[1])
    planned = planned_height(client.reference)
    if not planned:
        return {"left": False, "reason": f"{tracked} plans no upgrade"}
    done = upgrade(client, planned)
    if done is None:
        return _waits(client, planned)
    if done.outcome.code:
        return {"reason": printable(f"refused: {refusal(done.outcome)} {done.outcome.log}")}
    return {"upgraded": True, "left": False, "reason": f"upgraded: {tracked} halted at block {planned}"}


def _waits(client: ForeignClient, planned: int) -> dict[str, Any]:
    reference, latest = client.reference, client.view().latest
    tip = reference.tip().height
    if latest.revision_height > planned:
        return {"left": False, "reason": f"needs no upgrade: it is at {latest} already"}
    if tip < planned - 1:
        return {"reason": f"{reference.chain_id} is at block {tip}, and will halt at block {planned}"}
    return {"reason": f"{reference.chain_id} has not committed the upgraded client of block {planned} yet"}


def _show(row: dict[str, Any], *, as_json: bool) -> None:
    what = row.get("path") or f"{row['chain']} {row['client']}"
    click.echo(json.dumps(row) if as_json else f"{what}: {row['reason']}")
