"""`pyibc relay check`: whether all that a configuration names can be had."""

import json
import sys
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from ibc_core.errors import IbcError
from ibc_relayer.daemon.chains import Chain
from ibc_relayer.daemon.config import PathConfig, read_config
from ibc_relayer.daemon.connecting import Connector
from ibc_relayer.daemon.links import open_link
from pyibc.cli.relay_configured import WORK_LEFT, reports, with_config, with_json


@click.command()
@with_config
@with_json
@reports
def command(file: Path, as_json: bool) -> None:
    """Try every chain and path of a configuration once; submits nothing.

    Exit code 3 if one cannot be relayed.
    """
    config = read_config(file)
    chains = {chain.id: Chain(chain, Connector(None)) for chain in config.chains}
    with ExitStack() as ends:
        for chain in chains.values():
            ends.callback(chain.end)
        found = [_tried("chain", name, partial(_answers, chain)) for name, chain in chains.items()]
        found += [_tried("path", path.label, partial(_opened, path, chains)) for path in config.paths]
    for each in found:
        if as_json:
            click.echo(json.dumps(each))
        else:
            click.echo(f"{each['kind']} {each['name']}: {each['reason'] or 'ok'}")
    if any(each["reason"] for each in found):
        sys.exit(WORK_LEFT)


def _answers(chain: Chain) -> None:
    chain.endpoint().tip()


def _opened(path: PathConfig, chains: dict[str, Chain]) -> None:
    """Makes the link, with a journal that is thrown away."""
    with TemporaryDirectory() as folder:
        open_link(
            path, chains[path.a].endpoint(), chains[path.b].endpoint(), Path(folder) / "journal.db"
        ).close()


def _tried(kind: str, name: str, call: Callable[[], object]) -> dict[str, Any]:
    try:
        call()
    except (IbcError, OSError, ValueError) as error:
        return {"kind": kind, "name": name, "reason": str(error) or type(error).__name__}
    return {"kind": kind, "name": name, "reason": ""}
