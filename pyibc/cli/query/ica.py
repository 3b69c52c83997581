"""`pyibc query ica`: interchain accounts and their parameters."""

import json
from typing import Any

import click

from pyibc.cli.one_chain import endpoint, of_chain
from pyibc.codec.protojson import to_json
from pyibc.proto.ibc.applications.interchain_accounts.controller.v1 import query_pb2 as controller
from pyibc.proto.ibc.applications.interchain_accounts.host.v1 import query_pb2 as host
from pyibc.relayer.chain.grpc_query import ask_named


@click.group("ica")
def command() -> None:
    """Query interchain accounts (ICS-27)."""


@command.command()
@click.argument("connection")
@click.argument("owner")
@of_chain
def account(connection: str, owner: str, **options: Any) -> None:
    """Print the account of OWNER on the counterparty of CONNECTION."""
    with endpoint(options) as chain:
        found = ask_named(chain, controller, "InterchainAccount", owner=owner, connection_id=connection)
    click.echo(json.dumps({"address": found.address}) if options["as_json"] else found.address)


@command.command()
@click.argument("side", type=click.Choice(["controller", "host"]))
@of_chain
def params(side: str, **options: Any) -> None:
    """Print the parameters of a chain as controller or as host, as JSON."""
    with endpoint(options) as chain:
        found = ask_named(chain, controller if side == "controller" else host, "Params")
    click.echo(json.dumps(to_json(found)["params"]))
