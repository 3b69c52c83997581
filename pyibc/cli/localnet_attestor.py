"""`pyibc localnet attestor`: signs what a chain's node says, for clients that believe attestors."""

import json
import threading
from typing import Any

import click

from ibc_core.crypto import ethereum
from ibc_relayer.attestations.service import Attestor
from ibc_relayer.key_types import ETHSECP256K1
from ibc_relayer.keys import read_key
from localnet.attestor import AttestorServer, NodeAttestor
from pyibc.cli.one_chain import endpoint, of_chain, reports
from pyibc.cli.stopping import stopped_by_signals


@click.command()
@of_chain
@click.option(
    "--sign-with",
    "key",
    required=True,
    metavar="FILE|env:NAME|command:WORDS",
    help="Key of secp256k1: 64 hex digits or a mnemonic; a file has mode 0600.",
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="Where it is asked.  [default: a free one]"
)
@reports
def attestor(*, key: str, port: int, as_json: bool, **options: Any) -> None:
    """Sign what the node of a chain says, for whoever asks, until told to stop.

    It believes its node: run it beside one that you trust. Prints what `attestors` of a relayer's
    configuration lists: its address, and where it is asked. It listens on loopback alone.
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
