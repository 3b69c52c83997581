"""`pyibc tx queue-send`: send a packet of the early protocol's queues (docs/queue-protocol.md)."""

from pathlib import Path
from typing import Any

import click

from pyibc.cli.one_chain import endpoint, execute, signed, tell_sent
from pyibc.cli.query.queue import end_of, local_of, registration_of
from pyibc.cli.reporting import read_content
from pyibc.cli.tx.transfer import time_ns_of
from pyibc.core.errors import InvalidHeight
from pyibc.core.height import ZERO_HEIGHT, Height, parse_height
from pyibc.core.wire.message import pack_msg
from pyibc.proto.pyibc.queue.v1 import tx_pb2
from pyibc.queues.messages import MsgQueueSend


@click.command("queue-send")
@click.argument("destination")
@click.argument("packet_type", metavar="TYPE")
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True, path_type=Path), required=False)
@click.option("--data", help="The packet's data, instead of FILE.")
@click.option("--timeout", help="Validity from now, by this chain's clock: 90s.  [default: 10m, or none]")
@click.option(
    "--max-height", metavar="REVISION-HEIGHT", help="Last height of the destination at which it is valid."
)
@click.option("--no-timeout", is_flag=True, help="No timeout, if the chain allows that.")
@signed
def command(
    destination: str,
    packet_type: str,
    file: Path | None,
    data: str | None,
    timeout: str | None,
    max_height: str | None,
    no_timeout: bool,
    **options: Any,
) -> None:
    """Send a packet of TYPE to the end DESTINATION: CHAIN or CHAIN/CONNECTION/CHANNEL.

    Its data are FILE ("-": standard input) or --data, interpreted by the application of TYPE. With
    --max-height and without --timeout, there is no timeout by time.
    """
    end, content = end_of(destination), _content(file, data)
    if no_timeout and (timeout or max_height):
        raise ValueError("--no-timeout cannot be combined with --timeout or --max-height")
    height = ZERO_HEIGHT if max_height is None else _height(max_height)
    lasts = 0
    if timeout is not None or (max_height is None and not no_timeout):
        lasts = time_ns_of(timeout or "10m", "--timeout")
    with endpoint(options) as chain:
        local = local_of(registration_of(chain, end))
        until = chain.tip().time_ns + lasts if lasts else 0
        message = MsgQueueSend(local, end, None, packet_type, content, height, until, chain.signer)
        sent = execute(chain, "a packet", pack_msg(message), tx_pb2.MsgSendResponse)
        row = {"chain_id": chain.chain_id, "sequence": sent.answer.sequence, "source": local.text}
    tell_sent(options, row, f"sequence {row['sequence']}", sent.tx)


def _content(file: Path | None, data: str | None) -> bytes:
    if (file is None) is (data is None):
        raise ValueError("the packet's data must be given as either FILE or --data")
    if file is None:
        return (data or "").encode()
    return read_content(file)


def _height(text: str) -> Height:
    try:
        return parse_height(text)
    except InvalidHeight:
        raise ValueError(f"--max-height: {text!r} is not REVISION-HEIGHT, as 1-4000") from None
