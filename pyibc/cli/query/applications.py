"""`pyibc query gmp|ica|ratelimit`: what applications of a chain know."""

import json
from typing import Any

import click

from pyibc.cli.one_chain import endpoint, of_chain
from pyibc.codec.protojson import to_json
from pyibc.proto.ibc.applications.gmp.v1 import query_pb2 as gmp_pb
from pyibc.proto.ibc.applications.interchain_accounts.controller.v1 import query_pb2 as controller
from pyibc.proto.ibc.applications.interchain_accounts.host.v1 import query_pb2 as host
from pyibc.proto.ibc.applications.rate_limiting.v1 import query_pb2 as rates_pb
from pyibc.relayer.chain.grpc_query import ask_named


@click.group("gmp")
def gmp_command() -> None:
    """Query accounts of callers (ICS-27 GMP)."""


@gmp_command.command("get-address")
@click.argument("client")
@click.argument("sender")
@click.argument("salt", default="")
@of_chain
def get_address(client: str, sender: str, salt: str, **options: Any) -> None:
    """Print the account of SENDER on the counterparty of CLIENT; SALT in hexadecimal."""
    with endpoint(options) as chain:
        answer = ask_named(chain, gmp_pb, "AccountAddress", client_id=client, sender=sender, salt=salt)
    found = answer.account_address
    click.echo(json.dumps({"account_address": found}) if options["as_json"] else found)


@gmp_command.command("get-account-id")
@click.argument("address")
@of_chain
def get_account_id(address: str, **options: Any) -> None:
    """Print client, sender and salt of the account ADDRESS, as JSON."""
    with endpoint(options) as chain:
        answer = ask_named(chain, gmp_pb, "AccountIdentifier", account_address=address)
    click.echo(json.dumps(to_json(answer)["account_id"]))


@click.group("ica")
def ica_command() -> None:
    """Query interchain accounts (ICS-27)."""


@ica_command.command()
@click.argument("connection")
@click.argument("owner")
@of_chain
def account(connection: str, owner: str, **options: Any) -> None:
    """Print the account of OWNER on the counterparty of CONNECTION."""
    with endpoint(options) as chain:
        found = ask_named(chain, controller, "InterchainAccount", owner=owner, connection_id=connection)
    click.echo(json.dumps({"address": found.address}) if options["as_json"] else found.address)


@ica_command.command()
@click.argument("side", type=click.Choice(["controller", "host"]))
@of_chain
def params(side: str, **options: Any) -> None:
    """Print the parameters of a chain as controller or as host, as JSON."""
    with endpoint(options) as chain:
        found = ask_named(chain, controller if side == "controller" else host, "Params")
    click.echo(json.dumps(to_json(found)["params"]))


@click.group("ratelimit")
def rate_limits_command() -> None:
    """Rate limits: the amounts of a coin that may be sent and received over a channel or client."""


def _show(options: dict[str, Any], query: str, **asked: str) -> None:
    """Print the response to a query as JSON.

    Raises:
        IbcError: the node's response is invalid, or the chain has no rate limits.
    """
    with endpoint(options) as chain:
        answer = ask_named(chain, rates_pb, query, **asked)
    click.echo(json.dumps(to_json(answer), indent=2))


@rate_limits_command.command("list-rate-limits")
@of_chain
def list_rate_limits(**options: Any) -> None:
    """List every limit."""
    _show(options, "AllRateLimits")


@rate_limits_command.command("rate-limit")
@click.argument("channel_or_client")
@click.option("--denom", help="Denomination of one coin.  [default: all]")
@of_chain
def rate_limit(channel_or_client: str, denom: str | None, **options: Any) -> None:
    """Show the limits over a channel or client."""
    if denom is None:
        _show(options, "RateLimitsByChannelOrClientID", channel_or_client_id=channel_or_client)
    else:
        _show(options, "RateLimit", channel_or_client_id=channel_or_client, denom=denom)


@rate_limits_command.command("rate-limits-by-chain")
@click.argument("far", metavar="CHAIN_ID")
@of_chain
def rate_limits_by_chain(far: str, **options: Any) -> None:
    """Show the limits towards a chain."""
    _show(options, "RateLimitsByChainID", chain_id=far)


@rate_limits_command.command("list-blacklisted-denoms")
@of_chain
def list_blacklisted_denoms(**options: Any) -> None:
    """List the coins that may not be transferred."""
    _show(options, "AllBlacklistedDenoms")


@rate_limits_command.command("list-whitelisted-addresses")
@of_chain
def list_whitelisted_addresses(**options: Any) -> None:
    """List the pairs of accounts whose transfers are not counted."""
    _show(options, "AllWhitelistedAddresses")
