"""`pyibc query ratelimit`: queries of rate limits, named as in ibc-go's command."""

import json
from typing import Any

import click

from pyibc.cli.one_chain import endpoint, of_chain
from pyibc.codec.protojson import to_json
from pyibc.proto.ibc.applications.rate_limiting.v1 import query_pb2 as pb
from pyibc.relayer.chain.grpc_query import ask_named


@click.group("ratelimit")
def command() -> None:
    """Rate limits: the amounts of a coin that may be sent and received over a channel or client."""


def _show(options: dict[str, Any], query: str, **asked: str) -> None:
    """Print the response to a query as JSON.

    Raises:
        IbcError: the node's response is invalid, or the chain has no rate limits.
    """
    with endpoint(options) as chain:
        answer = ask_named(chain, pb, query, **asked)
    click.echo(json.dumps(to_json(answer), indent=2))


@command.command("list-rate-limits")
@of_chain
def list_rate_limits(**options: Any) -> None:
    """List every limit."""
    _show(options, "AllRateLimits")


@command.command("rate-limit")
@click.argument("channel_or_client")
@click.option("--denom", help="Denomination of one coin.  [default: all]")
@of_chain
def rate_limit(channel_or_client: str, denom: str | None, **options: Any) -> None:
    """Show the limits over a channel or client."""
    if denom is None:
        _show(options, "RateLimitsByChannelOrClientID", channel_or_client_id=channel_or_client)
    else:
        _show(options, "RateLimit", channel_or_client_id=channel_or_client, denom=denom)


@command.command("rate-limits-by-chain")
@click.argument("far", metavar="CHAIN_ID")
@of_chain
def rate_limits_by_chain(far: str, **options: Any) -> None:
    """Show the limits towards a chain."""
    _show(options, "RateLimitsByChainID", chain_id=far)


@command.command("list-blacklisted-denoms")
@of_chain
def list_blacklisted_denoms(**options: Any) -> None:
    """List the coins that may not be transferred."""
    _show(options, "AllBlacklistedDenoms")


@command.command("list-whitelisted-addresses")
@of_chain
def list_whitelisted_addresses(**options: Any) -> None:
    """List the pairs of accounts whose transfers are not counted."""
    _show(options, "AllWhitelistedAddresses")
