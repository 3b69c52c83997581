"""`pyibc query ica`: interchain accounts and their parameters."""

import json
from typing import Any

import click

from pyibc.apps.interchain_accounts.queries import CONTROLLER_SERVICE, HOST_SERVICE
from pyibc.cli.one_chain import endpoint, of_chain, reports
from pyibc.codec.protojson import to_json
from pyibc.proto.ibc.applications.interchain_accounts.controller.v1 import query_pb2 as controller
from pyibc.proto.ibc.applications.interchain_accounts.host.v1 import query_pb2 as host
from pyibc.relayer.chain.grpc_query import ask


@click.group("ica")
def command() -> None:
    """Query interchain accounts (ICS-27)."""


@command.command()
@click.argument("connection")
@click.argument("owner")
@of_chain
@reports
def account(connection: str, owner: str, **options: Any) -> None:
    """Print the account of OWNER on the counterparty of CONNECTION."""
    request = controller.QueryInterchainAccountRequest(owner=owner, connection_id=connection)
    with endpoint(options) as chain:
        path, kind = f"{CONTROLLER_SERVICE}InterchainAccount", controller.QueryInterchainAccountResponse
        found = ask(chain, path, request, kind)
    click.echo(json.dumps({"address": found.address}) if options["as_json"] else found.address)


@command.command()
@click.argument("side", type=click.Choice(["controller", "host"]))
@of_chain
@reports
def params(side: str, **options: Any) -> None:
    """Print the parameters of a chain as controller or as host, as JSON."""
    service, kind = (
        (CONTROLLER_SERVICE, controller.QueryParamsResponse)
        if side == "controller"
        else (HOST_SERVICE, host.QueryParamsResponse)
    )
    with endpoint(options) as chain:
        found = ask(chain, f"{service}Params", None, kind)
    click.echo(json.dumps(to_json(found)["params"]))
