"""`pyibc query gmp`: GMP accounts of callers on other chains."""

import json
from typing import Any

import click

from pyibc.cli.one_chain import endpoint, of_chain
from pyibc.codec.protojson import to_json
from pyibc.proto.ibc.applications.gmp.v1 import query_pb2 as pb
from pyibc.relayer.chain.grpc_query import ask_named


@click.group("gmp")
def command() -> None:
    """Query accounts of callers (ICS-27 GMP)."""


@command.command("get-address")
@click.argument("client")
@click.argument("sender")
@click.argument("salt", default="")
@of_chain
def get_address(client: str, sender: str, salt: str, **options: Any) -> None:
    """Print the account of SENDER on the counterparty of CLIENT; SALT in hexadecimal."""
    with endpoint(options) as chain:
        answer = ask_named(chain, pb, "AccountAddress", client_id=client, sender=sender, salt=salt)
    found = answer.account_address
    click.echo(json.dumps({"account_address": found}) if options["as_json"] else found)


@command.command("get-account-id")
@click.argument("address")
@of_chain
def get_account_id(address: str, **options: Any) -> None:
    """Print client, sender and salt of the account ADDRESS, as JSON."""
    with endpoint(options) as chain:
        answer = ask_named(chain, pb, "AccountIdentifier", account_address=address)
    click.echo(json.dumps(to_json(answer)["account_id"]))
