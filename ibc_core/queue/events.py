"""Events of the queue protocol: relayers and indexers follow packets by them alone."""

from functools import lru_cache

from ibc_core.host.events import Attribute, Event
from ibc_core.queue.packet import QueuePacket, Receipt, Registration
from ibc_core.queue.types import End

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
    """A remote end was registered and its queues made."""
    return (
        REGISTER,
        (
            ("local", registration.local.text),
            ("remote", registration.remote.text),
            ("client_id", registration.client_id),
        ),
    )


def send(packet: QueuePacket, client_id: str) -> Event:
    """A packet was pushed for the destination."""
    return (SEND, (*_packet(packet, client_id), ("data_hex", packet.data.hex())))


def receive(packet: QueuePacket, receipt: Receipt, client_id: str) -> Event:
    """A packet came, and its receipt was pushed."""
    return (
        RECEIVE,
        (*_packet(packet, client_id), ("data_hex", packet.data.hex()), *_receipt(receipt)),
    )


def handle_receipt(packet: QueuePacket, receipt: Receipt, client_id: str) -> Event:
    """A packet of ours was committed or rolled back, as its receipt says."""
    return (HANDLE_RECEIPT, (*_packet(packet, client_id), *_receipt(receipt)))


def timeout(packet: QueuePacket, client_id: str) -> Event:
    """A packet of ours was taken back without a receipt."""
    return (TIMEOUT, _packet(packet, client_id))


def advance(registration: Registration, before: int, after: int) -> Event:
    """Receipts for packets of the source, from `before` on and below `after`, are gone or passed over."""
    return (
        ADVANCE,
        (
            *_ends(registration.remote, registration.local),
            ("head_before", str(before)),
            ("head", str(after)),
            ("client_id", registration.client_id),
        ),
    )
