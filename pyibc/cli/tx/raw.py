"""`pyibc tx raw`: any messages of the signer, from JSON."""

from pathlib import Path
from typing import Any

import click

from pyibc.cli.files import read_content
from pyibc.cli.one_chain import endpoint, signed, submit, tell_sent
from pyibc.cli.query.showing import packet_rows
from pyibc.cli.tx.ica import messages_in
from pyibc.relayer.rpc.endpoint import RpcEndpoint
from pyibc.relayer.rpc.transactions import FoundTx


@click.command("raw")
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True, path_type=Path))
@signed
def command(file: Path, **options: Any) -> None:
    """Sign and send the messages in FILE ("-": standard input) in one transaction.

    FILE is JSON: a message {"@type": "/cosmos.bank.v1beta1.MsgSend", ...} or a list of them, all signed by
    this account. All are executed, or none. Messages without a .proto are sent by `pyibc tx json`.
    """
    messages = messages_in(file, read_content(file))
    if not messages:
        raise ValueError(f"{file} has no messages")
    with endpoint(options) as chain:
        tell(options, chain, len(messages), submit(chain, "the messages", messages))


def tell(options: dict[str, Any], chain: RpcEndpoint, count: int, sent: FoundTx) -> None:
    """Print the packets that `count` messages sent, and their transaction."""
    packets = packet_rows(sent.outcome.events)
    row = {"chain_id": chain.chain_id, "messages": count, "packets": packets}
    lines = [f"{each['type']} {each['sequence']}, {each['source']}" for each in packets]
    tell_sent(options, row, "\n".join(lines), sent)
