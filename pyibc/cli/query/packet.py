"""`pyibc query packet`: what became of a packet, by both chains."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import click

from pyibc.cli.between import reports
from pyibc.cli.one_chain import network_option
from pyibc.cli.query.packet_chains import chain_of, connect, route_from
from pyibc.cli.query.packet_words import answer, is_refunded, transfer_of
from pyibc.cli.query.showing import Missing, show
from pyibc.codec.gotime import format_rfc3339
from pyibc.core.numbers import MAX_U64
from pyibc.core.packet_v2.types import NS_PER_S, PacketV2
from pyibc.relayer.packets.history import Fate, History, Route, Sighting, history_of
from pyibc.relayer.packets.packets import AnyPacket

LEFT = 3
"""Exit code if something is left to relay."""

_STEPS = {
    "sent": (0, "sent:"),
    "received": (1, "received:"),
    "written": (1, "answered:"),
    "acknowledged": (0, "acknowledged:"),
    "timed_out": (0, "timed out:"),
}
"""Steps of a packet, the chain that makes each, 0 for the sender, and its label."""


@click.command("packet")
@click.argument("path")
@click.argument("sequence", type=click.IntRange(1, MAX_U64))
@network_option("--network", "Name of a localnet.")
@click.option(
    "--from",
    "of_a",
    metavar="CHAIN",
    help="Chain that sent the packet: an id of the localnet, NETWORK/ID or an RPC.  [default: its first]",
)
@click.option(
    "--to", "of_b", metavar="CHAIN", help="Chain that it goes to.  [default: the localnet's, by its client]"
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@reports
def command(path: str, sequence: int, **options: Any) -> None:
    """Show what became of the packet SEQUENCE that was sent over PATH.

    PATH is a channel of the sending chain (channel-0, or PORT/channel-0) or a client (07-tendermint-0).
    The last line says whether the receiver got it. Exit code 0 if the packet has ended, also if it was
    refused or has timed out; 3 if something is left to relay; 4 if it was not sent.
    """
    with ExitStack() as stack:
        network, url = chain_of(options["network"], options["of_a"], "--from")
        a = stack.enter_context(connect(url))
        found = route_from(a, path, sequence)
        b = stack.enter_context(connect(found.other_url(network, options["of_b"])))
        found.require(b)
        history = history_of(a, b, found.route)
        if history.fate is Fate.NOT_SENT:
            raise Missing(
                f"{a.chain_id} has sent no packet {sequence} over {'/'.join(found.route.on_a)}. "
                "Check the path, the sequence and which chain is the sender (--from)"
            )
        names = a.chain_id, b.chain_id
    row = _row(names, found.route, history)
    show(options, row, _lines(names, row))
    sys.exit(0 if history.is_ended else LEFT)


def _row(names: tuple[str, str], route: Route, history: History) -> dict[str, Any]:
    transfer = transfer_of(history.packet)
    row: dict[str, Any] = {
        "source": {"chain_id": names[0], "end": "/".join(route.on_a)},
        "destination": {"chain_id": names[1], "end": "/".join(route.on_b)},
        "sequence": route.sequence,
        "fate": history.fate.name.lower(),
        "ended": history.is_ended,
        "refunded": is_refunded(history, transfer),
        "error": history.error,
    }
    if transfer is not None:
        row["transfer"] = {
            "sender": transfer.sender,
            "receiver": transfer.receiver,
            "amount": transfer.amount_text,
            "denom": transfer.denom.path,
            "memo": transfer.memo,
        }
    if history.packet is not None:
        row["timeout"] = timeout_text(history.packet)
    for step in _STEPS:
        seen: Sighting | None = getattr(history, step)
        if seen is not None:
            row[step] = {"height": seen.height, "tx": seen.tx}
    return row | {"answer": answer(names, history, transfer)}


def timeout_text(packet: AnyPacket) -> str:
    """Return the timeout of a packet in words."""
    if isinstance(packet, PacketV2):
        return _time(packet.timeout_s_on_b * NS_PER_S)
    until = [f"height {packet.timeout_height_on_b}"] if packet.timeout_height_on_b != (0, 0) else []
    if packet.timeout_ns_on_b:
        until.append(_time(packet.timeout_ns_on_b))
    return " or ".join(until)


def _time(time_ns: int) -> str:
    """Return a time as text; one that no calendar has in seconds since 1970."""
    try:
        return format_rfc3339(time_ns // NS_PER_S * NS_PER_S)
    except (ValueError, OverflowError):
        return f"second {time_ns // NS_PER_S}"


def _lines(names: tuple[str, str], row: dict[str, Any]) -> Iterator[str]:
    ends = (f"{row[side]['end']} of {row[side]['chain_id']}" for side in ("source", "destination"))
    yield f"packet {row['sequence']}, {' -> '.join(ends)}"
    if "transfer" in row:
        told = row["transfer"]
        yield f"transfer:      {told['amount']} {told['denom']}, {told['sender']} -> {told['receiver']}"
    if "timeout" in row:
        yield f"timeout:       {row['timeout']}"
    for step, (side, label) in _STEPS.items():
        if step in row:
            yield f"{label:<14} {names[side]} height {row[step]['height']}, tx {row[step]['tx']}"
    if row["error"]:
        yield f"error:         {row['error']}"
    if row["refunded"]:
        yield "refunded:      yes"
    yield row["answer"]
