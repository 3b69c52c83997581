"""`pyibc query packet`: what became of a packet, by both chains."""

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack
from typing import Any, NamedTuple

import click

from pyibc.apps.packet_forward.packet_data import read_hops
from pyibc.apps.transfer.packet_data import PORT_ID, TransferData, decode, decode_payload
from pyibc.cli.between import reports
from pyibc.cli.one_chain import endpoint, network_here, network_option, rpc_of, running
from pyibc.cli.query.showing import Missing, show
from pyibc.codec.anys import decode_any
from pyibc.codec.gotime import format_rfc3339
from pyibc.core.channel.types import Order
from pyibc.core.errors import ConnectionNotFound, IbcError
from pyibc.core.identifiers import is_channel_id
from pyibc.core.numbers import MAX_U64
from pyibc.core.packet_v2.types import NS_PER_S, PacketV2
from pyibc.core.paths import client_state_path
from pyibc.relayer.chain.grpc_query import read_of
from pyibc.relayer.clients.attestations.driver import drivers_between
from pyibc.relayer.errors import WrongCounterparty
from pyibc.relayer.packets.history import Fate, History, Route, Sighting, history_of
from pyibc.relayer.packets.packets import AnyPacket
from pyibc.relayer.paths.ends import channel_end, connection_end, counterparty_of
from pyibc.relayer.rpc.endpoint import RpcEndpoint


def chain_of(network: str, text: str | None, option: str) -> tuple[str, str]:
    """Return the localnet and the URL of a chain that an option names; "" for a chain of no localnet.

    Raises:
        ValueError: there is no such localnet or chain.
        EndpointUnavailable: it is stopped.
        NetworkUnusable: the localnet's settings cannot be read.
    """
    if text is not None and "://" in text:
        return "", text
    if text is not None and "/" in text:
        network, text = text.split("/", 1)
    localnet, nodes = running(network)
    found = [each for each in nodes if text in {None, each.chain_id}]
    if not found:
        known = ", ".join(each.chain_id for each in nodes)
        raise ValueError(f"{option}: network {network!r} has no chain {text!r}; it has {known}")
    return network, rpc_of(localnet, found[0])


def connect(url: str) -> AbstractContextManager[RpcEndpoint]:
    """Connect to a chain. Raises as `endpoint`."""
    return endpoint({"node": url, "prefix": "cosmos"})


class FoundRoute(NamedTuple):
    """Route of a packet, read on the chain that sent it."""

    route: Route
    chain_id: str  # of that chain
    far_chain_id: str  # of the other one, by the client; "": its type is not known

    def other_url(self, network: str, text: str | None) -> str:
        """Return the URL of the other chain: the one named by --to, or the one of this id in `network`.

        Raises:
            ValueError: there is no such chain.
            NetworkUnusable: the localnet's settings cannot be read.
        """
        if text is None and not (network and self.far_chain_id):
            raise ValueError(f"--to is missing: the RPC of {self.far_chain_id or 'the receiving chain'}")
        return chain_of(network or network_here(), text or self.far_chain_id, "--to")[1]

    def require(self, b: RpcEndpoint) -> None:
        """Check that the path leads to `b`.

        Raises:
            WrongCounterparty: it does not.
            EndpointUnavailable, MalformedAnswer: the chain does not answer, or not in its form.
        """
        name = "/".join(self.route.on_a)
        if self.far_chain_id and self.far_chain_id != b.chain_id:
            raise WrongCounterparty(
                self.chain_id, name, f"leads to {self.far_chain_id}, not to {b.chain_id} (--to)"
            )
        if self.route.is_v2:
            far = counterparty_of(b, *self.route.on_b)
            is_ours = far is not None and (far.client_id,) == self.route.on_a
        else:
            end = channel_end(b, *self.route.on_b)
            far_end = None if end is None else (end.counterparty.port_id, end.counterparty.channel_id)
            is_ours = far_end == self.route.on_a
        # guard: the-other-end-is-believed drop test_a_path_that_leads_elsewhere_is_refused
        if not is_ours:
            reason = f"{'/'.join(self.route.on_b)} of {b.chain_id} does not lead back to it"
            raise WrongCounterparty(self.chain_id, name, reason)


def route_from(a: RpcEndpoint, path: str, sequence: int) -> FoundRoute:
    """Return the route of a packet sent over `path`: a channel, with its port or of `transfer`, or a client.

    Raises:
        Missing: there is no such channel.
        ConnectionNotFound, WrongCounterparty: the path is incomplete, or there is no such client.
        EndpointUnavailable, MalformedAnswer: the chain does not answer, or not in its form.
    """
    port, _, name = path.rpartition("/")
    if port or is_channel_id(name):
        return _over_channel(a, port or PORT_ID, name, sequence)
    registered = counterparty_of(a, name)
    if registered is None:
        reason = "is neither a channel nor a client with a counterparty: use PORT/channel-N, or a client's id"
        raise WrongCounterparty(a.chain_id, name, reason)
    route = Route((name,), (registered.client_id,), sequence, is_ordered=False)
    return FoundRoute(route, a.chain_id, _reference(a, name))


def _over_channel(a: RpcEndpoint, port: str, channel: str, sequence: int) -> FoundRoute:
    end = channel_end(a, port, channel)
    if end is None:
        raise Missing(f"{a.chain_id} has no channel {port}/{channel}. Check PATH, and the chain (--from)")
    connection = connection_end(a, end.connection_id)
    if connection is None:
        raise ConnectionNotFound(end.connection_id)
    far = end.counterparty.port_id, end.counterparty.channel_id
    route = Route((port, channel), far, sequence, end.ordering is Order.ORDERED)
    return FoundRoute(route, a.chain_id, _reference(a, connection.client_id))


def _reference(a: RpcEndpoint, client_id: str) -> str:
    """Return the id of the chain that a client tracks; "": its type is not known."""
    driver, raw = drivers_between(None, None).find(client_id), a.get(client_state_path(client_id))
    if driver is None or raw is None:
        return ""
    return read_of(a, client_id, lambda: driver.view(decode_any(raw)).chain_id)


_RELAY = "run a relayer (`pyibc relay`) or wait for one"


def transfer_of(packet: AnyPacket | None) -> TransferData | None:
    """Return the transfer in a packet; None: it has none, or the packet is unknown."""
    if packet is None:
        return None
    try:
        if isinstance(packet, PacketV2):
            payloads = [each for each in packet.payloads if each.port_id_on_a == PORT_ID]
            return decode_payload(payloads[0]) if len(payloads) == 1 else None
        return decode(packet.data) if packet.port_id_on_a == PORT_ID else None
    except IbcError:  # no transfer that a chain would accept
        return None


def is_refunded(history: History, transfer: TransferData | None) -> bool:
    """Return whether the sender has the coins again."""
    return transfer is not None and history.is_ended and history.fate in {Fate.REFUSED, Fate.TIMED_OUT}


def answer(names: tuple[str, str], history: History, transfer: TransferData | None) -> str:
    """Return one sentence about the receiver; a second one says what is left to do.

    Args:
        names: chain ids of sender and receiver.
        history: the packet's.
        transfer: the transfer in it, if any.
    """
    a, b = names
    left = "" if history.is_ended else f" {a} has not been told: {_RELAY}."
    match history.fate:
        case Fate.DELIVERED:
            return f"Yes: {_arrival(b, history, transfer)}.{left}"
        case Fate.REFUSED:
            reason = f": {history.error}" if history.error else ""
            return f"No: {b} refused the packet{reason}{_back(a, history, transfer)}"
        case Fate.TIMED_OUT | Fate.EXPIRED:
            return f"No: the packet timed out before {b} received it{_back(a, history, transfer)}"
        case Fate.PENDING:
            return f"Not yet: {b} has not received the packet; {_RELAY}."
        case Fate.RECEIVED:
            return f"Not known yet: {b} received the packet, and its application has not answered."
        case Fate.UNKNOWN:
            return (
                f"Not known: {a} has finished with the packet; the node of {b} has not received it, and may "
                f"lag behind. Ask again later, or another node: --to for {b}, --from for one of {a} with an "
                "event index."
            )
        case _:  # ANSWERED
            return f"Not known: {b} answered the packet, and the nodes do not tell a standard answer.{left}"


def _arrival(b: str, history: History, transfer: TransferData | None) -> str:
    at = f" at height {history.received.height}" if history.received is not None else ""
    if transfer is None:
        return f"the application on {b} accepted the packet{at}"
    coins = f"{transfer.amount_text} {transfer.denom.path}"
    if _is_forwarded(transfer):
        return f"{coins} went on from {b} and arrived at the end of the memo's route"
    return f"{transfer.receiver} received {coins} on {b}{at}"


def _back(a: str, history: History, transfer: TransferData | None) -> str:
    if transfer is None:
        return "." if history.is_ended else f". {a} has not been told: {_RELAY}."
    coins = f"{transfer.amount_text} {transfer.denom.path}"
    if history.is_ended:
        return f"; {coins} went back to {transfer.sender} on {a}."
    return f"; {coins} go back to {transfer.sender} on {a} once it is told: {_RELAY}."


def _is_forwarded(transfer: TransferData) -> bool:
    """Return whether the memo asks for packet forwarding, so that the receiver is not the last one."""
    try:
        return bool(read_hops(transfer.memo))
    except IbcError:
        return False


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
