"""`pyibc relay check`: check that the chains and paths of a configuration are usable."""

import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click

from pyibc.cli.progress import progress
from pyibc.cli.relay import configured
from pyibc.cli.reporting import read_relayer_config
from pyibc.core.errors import IbcError
from pyibc.relayer.config.model import PathConfig
from pyibc.relayer.daemon.chains import Chain


@click.command()
@configured.with_config
@configured.with_json
@configured.reports
def command(file: Path, as_json: bool) -> None:
    """Check every chain and path of a configuration once; submits nothing.

    Exit code 3 if one is not usable.
    """
    config = read_relayer_config(file)
    with configured.connected(config) as chains:
        found = [_check("chain", name, partial(_check_chain, chain)) for name, chain in chains.items()]
        found += [_check("path", path.label, partial(_check_path, path, chains)) for path in config.paths]
    for each in found:
        if as_json:
            click.echo(json.dumps(each))
        else:
            click.echo(f"{each['kind']} {each['name']}: {each['reason'] or 'ok'}")
    if any(each["reason"] for each in found):
        sys.exit(configured.WORK_LEFT)


def _check_chain(chain: Chain) -> None:
    with progress(f"connecting to {chain.config.id}"):
        chain.endpoint().tip()


def _check_path(path: PathConfig, chains: dict[str, Chain]) -> None:
    for part in configured.link_parts(path, chains):
        with configured.temporary_link(part, chains):
            pass


def _check(kind: str, name: str, call: Callable[[], object]) -> dict[str, Any]:
    try:
        call()
    except (IbcError, OSError, ValueError) as error:
        return {"kind": kind, "name": name, "reason": str(error) or type(error).__name__}
    return {"kind": kind, "name": name, "reason": ""}
