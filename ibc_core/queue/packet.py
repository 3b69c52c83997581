"""Packets, receipts and registrations of queues, and when a packet expires [IBC-packets 3.2], [ICS5-2019]."""

from typing import NamedTuple

from ibc_core.errors.queue import InvalidQueuePacket, PacketExpired
from ibc_core.height import Height
from ibc_core.numbers import u64
from ibc_core.queue.types import End, Queue, Role, queue_of
from ibc_core.value import sealed, value
from ibc_core.wire.columns import Codec
from ibc_core.wire.table import on_wire, table_of
from ibc_proto.pyibc.queue.v1 import queue_pb2

MAX_TYPE_SIZE = 64
MAX_DATA_SIZE = 262_144
MAX_RESULT_SIZE = 262_144
MAX_CODESPACE_SIZE = 64
MAX_CODE = 2**32 - 1
_HEIGHT = table_of(Height)
MAX_HEIGHT = Codec(_HEIGHT.unpack, lambda height: _HEIGHT.fill(height) if any(height) else None)
"""A timeout height, left out where it is 0-0."""

_TYPE = frozenset(map(chr, range(0x21, 0x7F)))


@value
class QueuePacket:
    """One packet. In the store its key says sequence, source and destination, its value the rest."""

    source: End
    destination: End
    sequence: int
    type: str
    data: bytes
    max_height: Height  # last height of the receiving chain at which it is valid; 0-0: none
    max_time_ns: int  # last time there, unix nanoseconds; 0: none


def check_packet(packet_type: str, data: bytes, max_height: Height, max_time_ns: int) -> None:
    """Checks what a packet is made of.

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
    """`expired(H_h, P)` of [ICS5-2019]: `height` or `time_ns` of the receiving chain is past the packet's."""
    return (packet.max_height != (0, 0) and height > packet.max_height) or (
        packet.max_time_ns != 0 and time_ns > packet.max_time_ns
    )


@sealed
class Receipt(NamedTuple):
    """The result of a packet, or the code of its error. Never an error's text (H1)."""

    result: bytes
    codespace: str = ""
    code: int = 0  # 0: success

    @property
    def is_success(self) -> bool:
        """Whether the packet was executed."""
        return self.code == 0

    @property
    def is_timeout(self) -> bool:
        """Whether the packet was late: only the protocol itself writes such a receipt."""
        return self.code == TIMED_OUT.code and self.codespace == TIMED_OUT.codespace


TIMED_OUT = Receipt(b"", PacketExpired.codespace, PacketExpired.code)
"""The `TimeoutError` of [ICS5-2019]."""


@value
class Registration:
    """A local end, its remote end, and the light client that verifies the remote chain."""

    client_id: str
    local: End
    remote: End
    remote_store: bytes  # name of the store that the remote chain keeps its queues in

    outgoing: Queue
    """Our queue of packets for the remote end."""
    incoming: Queue
    """Our queue of receipts for packets from the remote end."""
    their_outgoing: Queue
    """The remote chain's queue of packets for us."""
    their_incoming: Queue
    """The remote chain's queue of receipts for packets from us."""

    @classmethod
    def of(cls, client_id: str, local: End, remote: End, remote_store: bytes) -> "Registration":
        """The registration of two ends, with the names of their queues spelt out.

        Once, because a received packet asks for three of them.
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
    """What a local connection was bound to by its first registration."""

    client_id: str
    remote_chain: str
    remote_connection: str

    @property
    def text(self) -> str:
        """The three, separated by slashes."""
        return "/".join(self)


@sealed
class QueueConfig(NamedTuple):
    """The host's configuration of queues, the same on every validator of a chain."""

    open_registration: bool = False  # anybody may register an end; else the authority alone
    require_timeout: bool = False  # every packet needs a timeout; where one is capped, that one
    max_blocks_ahead: int = 0  # how far beyond the remote chain's known height a timeout may lie; 0: any
    max_time_ahead_ns: int = 0  # how far beyond its known time; 0: any
