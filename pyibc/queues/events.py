"""Events of the queue protocol; relayers and indexers need nothing else to follow packets."""

from functools import lru_cache

from pyibc.core.host.block import Attribute, Event
from pyibc.queues.packet import QueuePacket, Receipt, Registration
from pyibc.queues.types import End

PREFIX = "queue_"
REGISTER = "queue_register"
SEND = "queue_send"
RECEIVE = "queue_receive"
HANDLE_RECEIPT = "queue_handle_receipt"
TIMEOUT = "queue_timeout"
ADVANCE = "queue_advance"


@lru_cache(256)
def _ends(source: End, destination: End) -> tuple[Attribute, ...]:
    return (("source", source.text), ("destination", destination.text))


def _packet(packet: QueuePacket, client_id: str) -> tuple[Attribute, ...]:
    height = packet.max_height
    return (
        *_ends(packet.source, packet.destination),
        ("sequence", str(packet.sequence)),
        ("type", packet.type),
        ("max_height", f"{height.revision_number}-{height.revision_height}"),
        ("max_time", str(packet.max_time_ns)),
        ("client_id", client_id),
    )


def _receipt(receipt: Receipt) -> tuple[Attribute, ...]:
    return (
        ("result_hex", receipt.result.hex()),
        ("codespace", receipt.codespace),
        ("code", str(receipt.code)),
    )


def register(registration: Registration) -> Event:
    """Build the event of a new registration."""
    return (
        REGISTER,
        (
            ("local", registration.local.text),
            ("remote", registration.remote.text),
            ("client_id", registration.client_id),
        ),
    )


def send(packet: QueuePacket, client_id: str) -> Event:
    """Build the event of a sent packet."""
    return (SEND, (*_packet(packet, client_id), ("data_hex", packet.data.hex())))


def receive(packet: QueuePacket, receipt: Receipt, client_id: str) -> Event:
    """Build the event of a received packet, with its receipt."""
    return (
        RECEIVE,
        (*_packet(packet, client_id), ("data_hex", packet.data.hex()), *_receipt(receipt)),
    )


def handle_receipt(packet: QueuePacket, receipt: Receipt, client_id: str) -> Event:
    """Build the event of a packet that was committed or rolled back by its receipt."""
    return (HANDLE_RECEIPT, (*_packet(packet, client_id), *_receipt(receipt)))


def timeout(packet: QueuePacket, client_id: str) -> Event:
    """Build the event of a packet that was rolled back without a receipt."""
    return (TIMEOUT, _packet(packet, client_id))


def advance(registration: Registration, before: int, after: int) -> Event:
    """Build the event of receipts removed or skipped: those of the source from `before` to below `after`."""
    return (
        ADVANCE,
        (
            *_ends(registration.remote, registration.local),
            ("head_before", str(before)),
            ("head", str(after)),
            ("client_id", registration.client_id),
        ),
    )
