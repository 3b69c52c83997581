"""`pyibc localnet keys` and `fund`: the wallets of a network, which have test money only."""

import json
from pathlib import Path
from typing import Any

import click

from localnet.errors import LocalnetError
from localnet.network import Network
from localnet.settings import read_network
from pyibc.cli.one_chain import endpoint, network_option, of_chain, submit, tell_sent
from pyibc.cli.query.accounts import address_of
from pyibc.cli.reporting import reporting
from pyibc.cli.tx.messages import payment
from pyibc.relayer.money.keys import write_private_file
from pyibc.relayer.money.wallet import Wallet, seed_key

FAUCET = "relayer"
"""Wallet that `fund` pays from: no example spends its coins."""


@click.command()
@network_option("--name", "Name of the network.")
@click.option("--export", "wanted", metavar="WALLET", help="Write the key of this wallet to --out.")
@click.option("--out", type=click.Path(path_type=Path), help="File of mode 0600, for --key.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@reporting((LocalnetError, OSError), wrong_use=ValueError)
def keys(name: str, wanted: str | None, out: Path | None, *, as_json: bool) -> None:
    """List the wallets of a network with their addresses, or write the key of one to a file.

    Each has coins on every chain of the network, and is a name for --from, receivers and queries.
    """
    if (wanted is None) is not (out is None):
        raise ValueError("--export and --out go together: which key, and the file to write it to")
    network = Network(name)
    settings = network.settings()
    if wanted is None or out is None:
        rows = [{"name": each, "address": network.wallet(each).address.text} for each in settings.wallets]
        click.echo(
            json.dumps(rows) if as_json else "\n".join("{name:<10} {address}".format(**each) for each in rows)
        )
        return
    if wanted not in settings.wallets:
        raise ValueError(f"network {name!r} has no wallet {wanted!r}; it has {', '.join(settings.wallets)}")
    key = seed_key(read_network(network.folder).wallets[wanted])
    write_private_file(out, f"{key.hex()}\n")
    row = {"name": wanted, "address": Wallet(key, settings.prefix).address.text, "file": str(out)}
    click.echo(json.dumps(row) if as_json else f"{row['address']} in {out}")


@click.command()
@click.argument("receiver")
@click.argument("amount", metavar="AMOUNT", default="1000000stake")
@of_chain
def fund(receiver: str, amount: str, **options: Any) -> None:
    """Send AMOUNT of test coins to RECEIVER, an address or a wallet, on a chain of a localnet."""
    if options["node"]:
        raise ValueError("--node cannot be combined with fund: only a localnet's chains have test coins")
    to = address_of(receiver, options)
    with endpoint({**options, "name": FAUCET}) as chain:
        sent = submit(chain, "the payment", [payment(chain.signer, to, amount)])
        row = {"chain_id": chain.chain_id, "receiver": to, "amount": amount}
        tell_sent(options, row, f"{amount} to {to}", sent)
