"""`pyibc relay fees`: show the fees in a ledger."""

import json
from contextlib import closing
from pathlib import Path
from typing import get_args

import click

from pyibc.cli.reporting import reporting
from pyibc.core.errors import IbcError
from pyibc.relayer.money.ledger import Ledger
from pyibc.relayer.money.ledger_report import By, Cost, costs, open_fees


@click.command("fees")
@click.option(
    "--ledger",
    "file",
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="File that `pyibc relay --ledger` or the daemon's `relayer.ledger` names.",
)
@click.option("--by", type=click.Choice(get_args(By)), default="chain", show_default=True, help="Grouping.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@reporting((OSError, IbcError), wrong_use=())
def command(file: Path, by: By, *, as_json: bool) -> None:
    """Show exact fees and gas by chain, path or packet.

    The cost of a transaction with several packets is divided among them. Transactions without packets
    (clients, handshakes) have no path. In doubt are transactions that no block has completed yet.
    """
    with closing(Ledger(file)) as ledger:
        found = costs(ledger, by)
        doubt = {chain_id: open_fees(ledger, chain_id) for chain_id in ledger.chains()}
    if as_json:
        click.echo(json.dumps({"costs": [_row(cost) for cost in found], "in_doubt": doubt}, indent=2))
        return
    for cost in found:
        packet = f" {cost.sequence}" if cost.sequence else ""
        of = f"{cost.path or '-'}{packet}" if by != "chain" else ""
        tried = f"{cost.transactions} transactions ({cost.failed} failed)"
        gas = f"gas {cost.gas_used} of {cost.gas_wanted}"
        click.echo("  ".join(part for part in (cost.chain_id, of, tried, gas, _coins(cost.fees)) if part))
    for chain_id, coins in doubt.items():
        if coins:
            click.echo(f"{chain_id}  in doubt  {_coins(coins)}")


def _row(cost: Cost) -> dict[str, object]:
    """Return a row with amounts as text: many JSON readers round numbers above 2^53."""
    numbers = {"gas_wanted": str(cost.gas_wanted), "gas_used": str(cost.gas_used)}
    fees = {denom: str(amount) for denom, amount in cost.fees.items()}
    return {**cost._asdict(), "sequence": str(cost.sequence), **numbers, "fees": fees}


def _coins(fees: dict[str, int]) -> str:
    return ",".join(f"{amount}{denom}" for denom, amount in sorted(fees.items())) or "no fees"
