"""`pyibc query bank`: balances and supply, with the traces of vouchers."""

from collections.abc import Iterable, Iterator
from typing import Any

import click

from pyibc.cli.one_chain import endpoint, of_chain
from pyibc.cli.query.addresses import address_of
from pyibc.cli.query.showing import show
from pyibc.cli.query.vouchers import Traces
from pyibc.proto.cosmos.bank.v1beta1 import query_pb2 as pb
from pyibc.proto.cosmos.base.v1beta1.coin_pb2 import Coin
from pyibc.relayer.chain.endpoint import ChainEndpoint
from pyibc.relayer.chain.grpc_query import ask_entries, ask_named


@click.group("bank")
def command() -> None:
    """Balances and supply; ADDRESS is also the name of a localnet's wallet."""


@command.command()
@click.argument("address")
@click.argument("denom")
@of_chain
def balance(address: str, denom: str, **options: Any) -> None:
    """Show what ADDRESS has of the coin DENOM."""
    owner = address_of(address, options)
    with endpoint(options) as chain:
        found = ask_named(chain, pb, "Balance", address=owner, denom=denom).balance
        # a node before SDK 0.46 leaves out a coin of which there is nothing
        [row] = _rows(chain, [Coin(denom=denom, amount=found.amount or "0")])
    show(options, row, [_text(row)])


@command.command()
@click.argument("address")
@of_chain
def balances(address: str, **options: Any) -> None:
    """List what ADDRESS has."""
    owner = address_of(address, options)
    with endpoint(options) as chain:
        rows = _rows(chain, ask_entries(chain, pb, "AllBalances", "balances", address=owner))
        nothing = f"{owner} has no coins on {chain.chain_id}"
    show(options, rows, _lines(rows, nothing))


@command.command()
@click.argument("denom", required=False)
@of_chain
def total(denom: str | None, **options: Any) -> None:
    """Show the supply of the coin DENOM, or of every coin."""
    with endpoint(options) as chain:
        if denom is not None:
            supply = ask_named(chain, pb, "SupplyOf", denom=denom).amount
            [row] = _rows(chain, [Coin(denom=denom, amount=supply.amount or "0")])
            show(options, row, [_text(row)])
            return
        rows = _rows(chain, ask_entries(chain, pb, "TotalSupply", "supply"))
        nothing = f"{chain.chain_id} has no coins"
    show(options, rows, _lines(rows, nothing))


def _rows(chain: ChainEndpoint, coins: Iterable[Coin]) -> list[dict[str, str]]:
    """Return coins as JSON; a voucher has its trace if the chain tells it."""
    traces = Traces(chain)
    rows = []
    for each in coins:
        path = traces.path(each.denom)
        row = {"amount": each.amount, "denom": each.denom}
        rows.append(row | {"trace": path} if path else row)
    return rows


def _lines(rows: list[dict[str, str]], nothing: str) -> Iterator[str]:
    yield from map(_text, rows)
    if not rows:
        yield nothing


def _text(row: dict[str, str]) -> str:
    trace = f" ({row['trace']})" if "trace" in row else ""
    return f"{row['amount']} {row['denom']}{trace}"
