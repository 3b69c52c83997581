"""`pyibc query ratelimit`: the queries of rate limits, named as those of ibc-go's command."""

import json
from typing import Any

import click

from ibc_core.comet_json.fields import read_base64
from ibc_core.wire.protojson import to_json
from ibc_proto.ibc.applications.rate_limiting.v1 import query_pb2 as pb
from ibc_relayer.errors import EndpointRefused, RelayerError
from ibc_relayer.rpc_client import HttpRpc, RpcConfig, printable
from pyibc.cli.reporting import reporting

SERVICE = "/ibc.applications.rate_limiting.v1.Query/"

_reports = reporting(RelayerError, wrong_use=ValueError)
_node = click.option(
    "--node", default="http://127.0.0.1:26657", show_default=True, metavar="URL", help="The node's RPC."
)


@click.group("ratelimit")
def command() -> None:
    """Rate limits: how much of a coin may leave and come in over a channel or client."""


def _show(node: str, query: str, **asked: str) -> None:
    """Prints the answer to a query as JSON.

    Raises:
        ValueError: `node` is no URL.
        RelayerError: the node does not answer, or the chain has no rate limits.
    """
    rpc = HttpRpc(node, RpcConfig(attempts=1))
    request = getattr(pb, f"Query{query}Request")(**asked).SerializeToString()
    said: Any = rpc.call("abci_query", path=SERVICE + query, data=request.hex())["response"]
    if said.get("code"):
        raise EndpointRefused(
            rpc.name, query, f"{said['code']!a:.32} {printable(str(said.get('log') or ''))}"
        )
    answer = getattr(pb, f"Query{query}Response").FromString(read_base64(said.get("value") or ""))
    click.echo(json.dumps(to_json(answer), indent=2))


@command.command("list-rate-limits")
@_node
@_reports
def list_rate_limits(node: str) -> None:
    """List every limit."""
    _show(node, "AllRateLimits")


@command.command("rate-limit")
@click.argument("channel_or_client")
@click.option("--denom", help="One coin, by its name on the chain; without: all.")
@_node
@_reports
def rate_limit(channel_or_client: str, denom: str | None, node: str) -> None:
    """Show the limits over a channel or client."""
    if denom is None:
        _show(node, "RateLimitsByChannelOrClientID", channel_or_client_id=channel_or_client)
    else:
        _show(node, "RateLimit", channel_or_client_id=channel_or_client, denom=denom)


@command.command("rate-limits-by-chain")
@click.argument("chain_id")
@_node
@_reports
def rate_limits_by_chain(chain_id: str, node: str) -> None:
    """Show the limits towards a chain."""
    _show(node, "RateLimitsByChainID", chain_id=chain_id)


@command.command("list-blacklisted-denoms")
@_node
@_reports
def list_blacklisted_denoms(node: str) -> None:
    """List the coins that may not be transferred."""
    _show(node, "AllBlacklistedDenoms")


@command.command("list-whitelisted-addresses")
@_node
@_reports
def list_whitelisted_addresses(node: str) -> None:
    """List the pairs of accounts whose transfers are not counted."""
    _show(node, "AllWhitelistedAddresses")
