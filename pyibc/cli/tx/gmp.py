"""`pyibc tx gmp`: messages that a user's account on another chain executes (ICS-27 GMP)."""

from binascii import unhexlify
from pathlib import Path
from typing import Any

import click

from pyibc.apps.gmp.messages import MsgSendCall, cosmos_tx
from pyibc.cli.files import read_content
from pyibc.cli.one_chain import endpoint, execute, signed, tell_sent
from pyibc.cli.tx.ica import messages_in
from pyibc.cli.tx.transfer import time_ns_of
from pyibc.core.packet_v2.types import ABI, JSON, NS_PER_S, PROTOBUF
from pyibc.core.wire.message import pack_msg
from pyibc.proto.ibc.applications.gmp.v1 import tx_pb2

_ENCODINGS = {"abi": ABI, "json": JSON, "protobuf": PROTOBUF}


@click.group("gmp")
def command() -> None:
    """Execute messages on another chain (docs/gmp.md)."""


@command.command()
@click.argument("client")
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True, path_type=Path))
@click.option("--salt", default="", metavar="HEX", help="Salt of your account there.")
@click.option("--receiver", default="", help="Contract to call, on an EVM chain.")
@click.option("--memo", default="", help="Memo for middleware.")
@click.option("--timeout", default="10m", show_default=True, help="From now, by this chain's clock: 90s.")
@click.option("--encoding", type=click.Choice(list(_ENCODINGS)), default="abi", show_default=True)
@click.option(
    "--raw", is_flag=True, help="FILE is the payload itself, for a chain that is not a Cosmos chain."
)
@signed
def call(
    client: str,
    file: Path,
    salt: str,
    receiver: str,
    memo: str,
    timeout: str,
    encoding: str,
    raw: bool,
    **options: Any,
) -> None:
    """Let your account behind CLIENT execute the messages in FILE ("-": standard input).

    FILE is JSON: a message {"@type": "/cosmos.bank.v1beta1.MsgSend", ...} or a list of them, each signed by
    that account (`pyibc query gmp get-address` on the other chain). All are executed, or none.
    """
    lasts, salted = time_ns_of(timeout, "--timeout"), salt_of(salt)
    content = read_content(file)
    payload = content if raw else cosmos_tx(messages_in(file, content))
    with endpoint(options) as chain:
        until = (chain.tip().time_ns + lasts) // NS_PER_S
        given = receiver, salted, payload, until, memo, _ENCODINGS[encoding]
        message = pack_msg(MsgSendCall(client, chain.signer, *given))
        sent = execute(chain, "a call", message, tx_pb2.MsgSendCallResponse)
        row = {"chain_id": chain.chain_id, "sequence": sent.answer.sequence}
    tell_sent(options, row, f"sequence {row['sequence']}", sent.tx)


def salt_of(text: str) -> bytes:
    """Return the bytes of a salt in hexadecimal; raise ValueError if it is not."""
    try:
        return unhexlify(text)
    except ValueError:
        raise ValueError(f"salt {text!r} is not hexadecimal") from None
