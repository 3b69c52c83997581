"""`pyibc tx transfer`: coins to another chain, and on from there (ICS-20, packet forwarding)."""

import json
import re
from collections.abc import Sequence
from typing import Any

import click

from ibc_core.errors import InvalidForwardHop
from ibc_core.height import ZERO_HEIGHT
from ibc_core.identifiers import is_blank, is_channel_id
from ibc_core.packet_forward.metadata import MAX_RETRIES, Hop, write_memo
from ibc_core.packet_v2.types import NS_PER_S
from ibc_core.transfer.msg_transfer import MsgTransfer
from ibc_core.wire.goduration import parse_duration
from ibc_core.wire.message import pack_msg
from ibc_module.apps.transfer.state import PORT_ID
from ibc_proto.ibc.applications.transfer.v1 import tx_pb2
from pyibc.cli.one_chain import endpoint, execute, reports, signed

NOBODY = "pfm"
"""Receiver on a chain that only forwards: no address, so that without the middleware the coins come back."""

_coin = re.compile(r"([1-9][0-9]*)([a-zA-Z][a-zA-Z0-9/:._-]{2,127})").fullmatch


@click.command()
@click.argument("channel")
@click.argument("receiver")
@click.argument("amount", metavar="AMOUNT")
@click.option(
    "--forward",
    "hops",
    multiple=True,
    metavar="CHANNEL[,retries=N][,timeout=TIME][,port=PORT]",
    help="The channel to go on over from the chain before; may be repeated.",
)
@click.option("--memo", help="For middleware there; not with --forward, which makes one.")
@click.option("--timeout", default="10m", show_default=True, help="Of the first packet, from now on.")
@signed
@reports
def command(
    channel: str,
    receiver: str,
    amount: str,
    hops: tuple[str, ...],
    memo: str | None,
    timeout: str,
    **options: Any,
) -> None:
    """Send AMOUNT (as 5stake) over CHANNEL, or a client, to RECEIVER on the last chain of the way.

    With --forward the chain in between needs packet forwarding (docs/packet-forwarding.md).
    """
    if hops and memo is not None:
        raise ValueError("--forward makes the memo: it goes without --memo")
    if hops and not is_channel_id(channel):
        raise ValueError(f"--forward goes over channels: {channel!r} is not one")
    if is_blank(receiver):
        raise ValueError("RECEIVER is empty")
    way = [_hop(text) for text in hops]
    found, lasts = _coin(amount), time_ns_of(timeout, "--timeout")
    if found is None:
        raise ValueError(f"{amount!r} is no amount of a coin like 5stake")
    text = write_memo(_addressed(way, receiver)) if way else memo or ""
    with endpoint(options) as chain:
        message = MsgTransfer(
            PORT_ID,
            channel,
            found[2],
            found[1],
            chain.signer,
            NOBODY if way else receiver,
            ZERO_HEIGHT,
            _until(chain.tip().time_ns + lasts, channel),
            text,
        )
        sent = execute(chain, "a transfer", pack_msg(message), tx_pb2.MsgTransferResponse)
        row = {"chain_id": chain.chain_id, "sequence": sent.sequence}
    click.echo(json.dumps(row | {"memo": text}) if options["as_json"] else f"sequence {row['sequence']}")


def _until(time_ns: int, channel: str) -> int:
    """The timeout as MsgTransfer has it: nanoseconds over a channel, seconds over a client."""
    return time_ns if is_channel_id(channel) else time_ns // NS_PER_S


def _addressed(way: Sequence[Hop], receiver: str) -> list[Hop]:
    """The hops with their receivers: nobody in between."""
    return [*way[:-1], way[-1]._replace(receiver=receiver)]


def _hop(text: str) -> Hop:
    channel, *rest = text.split(",")
    said = dict(each.partition("=")[::2] for each in rest)
    unknown = sorted(said.keys() - {"retries", "timeout", "port"})
    if unknown:
        raise ValueError(f"--forward {text}: {unknown[0]!r} is not among retries, timeout, port")
    retries, timeout = said.get("retries"), said.get("timeout")
    if retries is not None and not (re.fullmatch("[0-9]{1,3}", retries) and int(retries) <= MAX_RETRIES):
        raise ValueError(f"--forward {text}: retries are 0 to {MAX_RETRIES}")
    hop = Hop(
        NOBODY,
        said.get("port", PORT_ID),
        channel,
        time_ns_of(timeout, f"--forward {text}") if timeout is not None else 0,
        None if retries is None else int(retries),
    )
    try:
        hop.validate()
    except InvalidForwardHop as error:
        raise ValueError(f"--forward {text}: {error}") from None
    return hop


def time_ns_of(text: str, what: str) -> int:
    """Nanoseconds of a time like 90s or 1h30m, above 0."""
    try:
        found = parse_duration(text)
    except ValueError:
        found = 0
    if found <= 0:
        raise ValueError(f"{what}: {text!r} is not a time like 90s, 10m or 1h30m")
    return found
