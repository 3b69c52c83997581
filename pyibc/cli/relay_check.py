"""`pyibc relay check`: whether all that a configuration names can be had."""

import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click

from ibc_core.errors import IbcError
from ibc_relayer.daemon.chains import Chain
from ibc_relayer.daemon.config import PathConfig, read_config
from pyibc.cli.relay_configured import WORK_LEFT, connected, looked_at, reports, with_config, with_json


@click.command()
@with_config
@with_json
@reports
def command(file: Path, as_json: bool) -> None:
    """Try every chain and path of a configuration once; submits nothing.

    Exit code 3 if one cannot be relayed.
    """
    config = read_config(file)
    with connected(config) as chains:
        found = [_tried("chain", name, partial(_answers, chain)) for name, chain in chains.items()]
        found += [_tried("path", path.label, partial(_opens, path, chains)) for path in config.paths]
    for each in found:
        if as_json:
            click.echo(json.dumps(each))
        else:
            click.echo(f"{each['kind']} {each['name']}: {each['reason'] or 'ok'}")
    if any(each["reason"] for each in found):
        sys.exit(WORK_LEFT)


def _answers(chain: Chain) -> None:
    chain.endpoint().tip()


def _opens(path: PathConfig, chains: dict[str, Chain]) -> None:
    with looked_at(path, chains):
        pass


def _tried(kind: str, name: str, call: Callable[[], object]) -> dict[str, Any]:
    try:
        call()
    except (IbcError, OSError, ValueError) as error:
        return {"kind": kind, "name": name, "reason": str(error) or type(error).__name__}
    return {"kind": kind, "name": name, "reason": ""}
