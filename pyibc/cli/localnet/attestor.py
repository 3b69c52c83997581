"""`pyibc localnet attestor`: signs statements about a chain's node, for attestations clients."""

import json
import threading
from typing import Any

import click

from localnet.attestor import AttestorServer, NodeAttestor
from pyibc.cli.one_chain import chain_options, endpoint, reports
from pyibc.cli.reporting import stopped_by_signals
from pyibc.core.crypto import ethereum
from pyibc.relayer.clients.attestations.service import Attestor
from pyibc.relayer.money.keys import read_key
from pyibc.relayer.money.wallet import ETHSECP256K1


@click.command()
@chain_options
@click.option(
    "--sign-with",
    "key",
    required=True,
    metavar="FILE|env:NAME|command:WORDS",
    help="Key of secp256k1: 64 hex digits or a mnemonic; a file has mode 0600.",
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="Port to listen on.  [default: a free one]"
)
@reports
def attestor(*, key: str, port: int, as_json: bool, **options: Any) -> None:
    """Run an attestor for the node of a chain until a signal stops it.

    It trusts its node: run it beside a node that you trust. Prints the entry for `attestors` in a relayer's
    configuration: its address and URL. It listens on loopback only.
    """
    secret = read_key(key, ETHSECP256K1)
    stop = threading.Event()
    with (
        endpoint({**options, "as_json": as_json}) as chain,
        AttestorServer(NodeAttestor(chain, secret).sign, port) as server,
        stopped_by_signals(stop),
    ):
        found = Attestor(server.url, ethereum.own_address(secret))
        row = {"chain": chain.chain_id, "address": f"0x{found.address.hex()}", "url": found.url}
        click.echo(json.dumps(row) if as_json else f"{row['address']}@{row['url']}")
        stop.wait()
