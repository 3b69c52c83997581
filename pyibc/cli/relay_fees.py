"""`pyibc relay fees`: what a ledger says was spent."""

import json
from contextlib import closing
from pathlib import Path
from typing import get_args

import click

from ibc_core.errors import IbcError
from ibc_relayer.ledger import Ledger
from ibc_relayer.ledger_report import By, Cost, costs, in_doubt
from pyibc.cli.reporting import reporting


@click.command("fees")
@click.option(
    "--ledger",
    "file",
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The file that --ledger of `pyibc relay` named.",
)
@click.option("--by", type=click.Choice(get_args(By)), default="chain", show_default=True, help="The sums.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@reporting((OSError, IbcError), wrong_use=())
def command(file: Path, by: By, *, as_json: bool) -> None:
    """Show fees and gas by chain, path or packet, to the unit.

    Of a transaction that served several packets each has its share. Transactions without packets (clients,
    handshakes) are those without a path. In doubt is what no block has settled yet.
    """
    with closing(Ledger(file)) as ledger:
        found = costs(ledger, by)
        doubt = {chain_id: in_doubt(ledger, chain_id) for chain_id in ledger.chains()}
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
    """Amounts as text: readers of JSON round what is beyond 2^53."""
    numbers = {"gas_wanted": str(cost.gas_wanted), "gas_used": str(cost.gas_used)}
    fees = {denom: str(amount) for denom, amount in cost.fees.items()}
    return {**cost._asdict(), "sequence": str(cost.sequence), **numbers, "fees": fees}


def _coins(fees: dict[str, int]) -> str:
    return ",".join(f"{amount}{denom}" for denom, amount in sorted(fees.items())) or "no fees"
