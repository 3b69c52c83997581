"""Packets, receipts and registrations of queues, their events and expiry [IBC-packets 3.2], [ICS5-2019]."""

from functools import lru_cache
from typing import NamedTuple

from pyibc.core.height import Height
from pyibc.core.host.block import Attribute, Event
from pyibc.core.numbers import u64
from pyibc.core.value import sealed, value
from pyibc.core.wire.columns import Codec
from pyibc.core.wire.table import on_wire, table_of
from pyibc.proto.pyibc.queue.v1 import queue_pb2
from pyibc.queues.errors import InvalidQueuePacket, PacketExpired
from pyibc.queues.types import End, Queue, Role, queue_of

MAX_TYPE_SIZE = 64
MAX_DATA_SIZE = 262_144
MAX_RESULT_SIZE = 262_144
MAX_CODESPACE_SIZE = 64
MAX_CODE = 2**32 - 1
_HEIGHT = table_of(Height)
MAX_HEIGHT = Codec(_HEIGHT.unpack, lambda height: _HEIGHT.fill(height) if any(height) else None)
"""Codec of a timeout height; 0-0 is left out on the wire."""

_TYPE = frozenset(map(chr, range(0x21, 0x7F)))


@value
class QueuePacket:
    """Packet of a queue. Its store key holds sequence, source and destination, its value the rest."""

    source: End
    destination: End
    sequence: int
    type: str
    data: bytes
    max_height: Height  # last height of the receiving chain at which it is valid; 0-0: none
    max_time_ns: int  # last time there, unix nanoseconds; 0: none


def check_packet(packet_type: str, data: bytes, max_height: Height, max_time_ns: int) -> None:
    """Check type, size and timeout of a packet.

    Raises:
        InvalidQueuePacket: the type is not 1 to 64 printable ASCII characters, or data is too large.
        InvalidRequest: a number does not fit 64 bits.
    """
    if not 1 <= len(packet_type) <= MAX_TYPE_SIZE or not _TYPE.issuperset(packet_type):
        raise InvalidQueuePacket(f"type {packet_type[:64]!a}")
    if len(data) > MAX_DATA_SIZE:
        raise InvalidQueuePacket(f"{len(data)} bytes of data exceed {MAX_DATA_SIZE}")
    for number in (*max_height, max_time_ns):
        u64(number, "timeout")


def expired(packet: QueuePacket, height: Height, time_ns: int) -> bool:
    """Return `expired(H_h, P)` of [ICS5-2019]: the receiving chain's height or time is past the packet's."""
    return (packet.max_height != (0, 0) and height > packet.max_height) or (
        packet.max_time_ns != 0 and time_ns > packet.max_time_ns
    )


@sealed
class Receipt(NamedTuple):
    """Result of a packet, or codespace and code of its error, never the error's text (H1)."""

    result: bytes
    codespace: str = ""
    code: int = 0  # 0: success

    @property
    def is_success(self) -> bool:
        """Return whether the packet was executed."""
        return self.code == 0

    @property
    def is_timeout(self) -> bool:
        """Return whether the packet had expired; only the protocol itself writes such a receipt."""
        return self.code == TIMED_OUT.code and self.codespace == TIMED_OUT.codespace


TIMED_OUT = Receipt(b"", PacketExpired.codespace, PacketExpired.code)
"""Receipt of an expired packet: the `TimeoutError` of [ICS5-2019]."""


@value
class Registration:
    """Local end, remote end, and the client that verifies the remote chain."""

    client_id: str
    local: End
    remote: End
    remote_store: bytes  # name of the remote chain's queue store

    outgoing: Queue
    """Local queue of packets for the remote end."""
    incoming: Queue
    """Local queue of receipts for packets from the remote end."""
    their_outgoing: Queue
    """Remote queue of packets for the local end."""
    their_incoming: Queue
    """Remote queue of receipts for packets from the local end."""

    @classmethod
    def of(cls, client_id: str, local: End, remote: End, remote_store: bytes) -> "Registration":
        """Build the registration of two ends.

        The names of its queues are computed here once: every received packet needs three of them.
        """
        return cls(
            client_id,
            local,
            remote,
            remote_store,
            outgoing=queue_of(local, remote, Role.SEND),
            incoming=queue_of(local, remote, Role.RECEIPT),
            their_outgoing=queue_of(remote, local, Role.SEND),
            their_incoming=queue_of(remote, local, Role.RECEIPT),
        )


@on_wire(queue_pb2.Binding)
@sealed
class Binding(NamedTuple):
    """Remote connection and client of a local connection, set by its first registration."""

    client_id: str
    remote_chain: str
    remote_connection: str

    @property
    def text(self) -> str:
        """The three fields, separated by slashes."""
        return "/".join(self)


@sealed
class QueueConfig(NamedTuple):
    """Queue configuration of a host, identical on every validator of a chain."""

    open_registration: bool = False  # anyone may register an end; else only the authority
    require_timeout: bool = False  # every packet needs a timeout, of the kind that is limited below
    max_blocks_ahead: int = 0  # maximal timeout height above the client's latest; 0: unlimited
    max_time_ahead_ns: int = 0  # maximal timeout time after the client's latest; 0: unlimited


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
