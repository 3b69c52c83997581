"""`pyibc query account`: number and sequence of an account."""

from typing import Any

import click

from pyibc.cli.one_chain import endpoint, of_chain
from pyibc.cli.query.addresses import address_of
from pyibc.cli.query.showing import Missing, message_json, show
from pyibc.codec.anys import AnyMessage
from pyibc.proto.cosmos.auth.v1beta1 import query_pb2 as pb
from pyibc.relayer.chain.endpoint import query_of
from pyibc.relayer.chain.grpc_query import ask
from pyibc.relayer.errors import AccountCannotSign, EndpointRefused
from pyibc.relayer.money.account import ACCOUNT, ask_account

_ABSENT = "not found"
"""Part of the SDK's refusal for an address that has no account."""


@click.command("account")
@click.argument("address")
@of_chain
def command(address: str, **options: Any) -> None:
    """Show the account ADDRESS, or that of a localnet's wallet; --json shows all of its fields.

    Exit code 4 if it does not exist: an account comes into being when it first receives coins.
    """
    owner = address_of(address, options)
    with endpoint(options) as chain:
        try:
            answer = ask(chain, ACCOUNT, pb.QueryAccountRequest(address=owner), pb.QueryAccountResponse)
        except EndpointRefused as error:
            if _ABSENT not in error.reason:
                raise
            text = f"{chain.chain_id} has no account {owner}"
            raise Missing(f"{text}. It comes into being when it first receives coins") from error
        packed = answer.account
        lines = [f"address:   {owner}", f"type:      {packed.type_url}"]
        try:
            number, sequence = ask_account(query_of(chain), chain.chain_id, owner)
        except AccountCannotSign:
            lines.append("sequence:  none: it cannot sign")
        else:
            lines += [f"number:    {number}", f"sequence:  {sequence}"]
    show(options, message_json(AnyMessage(packed.type_url, packed.value)), lines)
