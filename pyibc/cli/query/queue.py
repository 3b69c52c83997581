"""`pyibc query queue`: ends and queues of the early protocol on a chain (docs/queue-protocol.md)."""

import json
from typing import Any

import click

from pyibc.cli.one_chain import endpoint, of_chain
from pyibc.core.wire.table import unpack
from pyibc.proto.pyibc.queue.v1 import query_pb2 as pb
from pyibc.proto.pyibc.queue.v1 import queue_pb2
from pyibc.queues.packet import Registration
from pyibc.queues.states import decode_packet, decode_receipt
from pyibc.queues.types import End, QueueName, Role, parse_end, parse_name, queue_name
from pyibc.relayer.chain.endpoint import ChainEndpoint
from pyibc.relayer.chain.grpc_query import ask_entries, ask_named


@click.group("queue")
def command() -> None:
    """Query ends and queues; NAME is a queue's, such as `ibc:beta-1:send` (see `registrations`)."""


@command.command()
@of_chain
def registrations(**options: Any) -> None:
    """List the registered ends, local and remote, with their clients and queues."""
    with endpoint(options) as chain:
        found = ask_entries(chain, pb, "Registrations", "registrations")
        _show([_registration(each) for each in found])


@command.command()
@click.argument("end")
@of_chain
def registration(end: str, **options: Any) -> None:
    """Show the registration of the remote END: CHAIN or CHAIN/CONNECTION/CHANNEL."""
    with endpoint(options) as chain:
        _show(_registration(registration_of(chain, end_of(end))))


@command.command()
@click.argument("name")
@of_chain
def bounds(name: str, **options: Any) -> None:
    """Show head and tail of the queue NAME: it has the elements from head (inclusive) to tail (exclusive)."""
    _parsed(name)
    with endpoint(options) as chain:
        answer = ask_named(chain, pb, "Queue", name=name)
    _show({"head": str(answer.head), "tail": str(answer.tail)})


@command.command()
@click.argument("name")
@click.argument("index", type=click.IntRange(0, 2**64 - 1))
@of_chain
def element(name: str, index: int, **options: Any) -> None:
    """Show the packet or receipt at INDEX of the queue NAME."""
    parts = _parsed(name)
    with endpoint(options) as chain:
        answer = ask_named(chain, pb, "Element", name=name, index=index)
        _show(_element(chain, parts, index, answer.value))


@command.command()
@click.argument("name")
@of_chain
def elements(name: str, **options: Any) -> None:
    """List the elements of the queue NAME, first to last."""
    parts = _parsed(name)
    with endpoint(options) as chain:
        found = ask_entries(chain, pb, "Elements", "elements", name=name)
        _show([_element(chain, parts, each.index, each.value) for each in found])


def end_of(text: str) -> End:
    """Parse an end.

    Raises:
        ValueError: the text is malformed.
    """
    found = parse_end(text)
    if found is None:
        raise ValueError(f"{text!r} is not an end: use CHAIN or CHAIN/CONNECTION/CHANNEL")
    return found


def registration_of(chain: ChainEndpoint, remote: End) -> queue_pb2.Registration:
    """Return the registration of a remote end on a chain.

    Raises:
        IbcError: the end is not registered, or the node's response is invalid.
    """
    wire = queue_pb2.End(chain=remote.chain, connection=remote.connection, channel=remote.channel)
    found: queue_pb2.Registration = ask_named(chain, pb, "Registration", remote=wire).registration
    return found


def local_of(found: queue_pb2.Registration) -> End:
    """Return the local end of a registration."""
    return unpack(End, found.local)


def _parsed(name: str) -> QueueName:
    found = parse_name(name)
    if found is None:
        raise ValueError(f"{name!r} is not a queue name (ibc:CHAIN:send, ibc:CHAIN:receipt, or a channel's)")
    return found


def _registration(found: queue_pb2.Registration) -> dict[str, Any]:
    made = Registration.of(
        found.client_id, unpack(End, found.local), unpack(End, found.remote), found.remote_store
    )
    return {
        "client_id": made.client_id,
        "local": made.local.text,
        "remote": made.remote.text,
        "remote_store": made.remote_store.decode(errors="backslashreplace"),
        "packets": queue_name(made.local, made.remote, Role.SEND),
        "receipts": queue_name(made.local, made.remote, Role.RECEIPT),
    }


def _element(chain: ChainEndpoint, name: QueueName, index: int, raw: bytes) -> dict[str, Any]:
    """Return the fields of an element; one that does not decode is shown in hexadecimal."""
    shown: dict[str, Any] = {"index": str(index)}
    if name.role is Role.RECEIPT:
        receipt = decode_receipt(raw)
        if receipt is None:
            return shown | {"value": raw.hex()}
        if receipt.is_success:
            return shown | {"result": receipt.result.hex()}
        return shown | {"codespace": receipt.codespace, "code": receipt.code}
    source = End(chain.chain_id, name.connection, name.channel)
    packet = decode_packet(raw, source, name.remote, index)
    if packet is None:
        return shown | {"value": raw.hex()}
    told = {"type": packet.type, "source": packet.source.text, "destination": packet.destination.text}
    valid = {"max_height": str(packet.max_height), "max_time_ns": str(packet.max_time_ns)}
    return shown | told | {"data": packet.data.hex()} | valid


def _show(answer: object) -> None:
    click.echo(json.dumps(answer, indent=2))
