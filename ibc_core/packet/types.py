"""Packets and acknowledgements (ICS-4). Chain A sends a packet, chain B receives it, all its life long."""

from hashlib import sha256
from typing import Annotated

from ibc_core.errors import InvalidPacket
from ibc_core.height import Height
from ibc_core.identifiers import validate_channel_id, validate_port_id
from ibc_core.value import value
from ibc_core.wire.columns import Wire
from ibc_core.wire.table import on_wire
from ibc_proto.ibc.core.channel.v1 import channel_pb2

MAX_DATA_SIZE = 262_144
"""Largest data of a packet, in bytes."""


@on_wire(channel_pb2.Packet)
@value
class Packet:
    """One packet; identifiers and sequence are bound by the path of its commitment."""

    sequence: int
    port_id_on_a: Annotated[str, Wire("source_port")]
    channel_id_on_a: Annotated[str, Wire("source_channel")]
    port_id_on_b: Annotated[str, Wire("destination_port")]
    channel_id_on_b: Annotated[str, Wire("destination_channel")]
    data: bytes
    timeout_height_on_b: Annotated[Height, Wire("timeout_height")]  # 0-0: none
    timeout_ns_on_b: Annotated[int, Wire("timeout_timestamp")]  # unix nanoseconds; 0: none

    def validate_basic(self) -> None:
        """Checks that need no state.

        Raises:
            InvalidIdentifier: a port or channel is malformed.
            InvalidPacket: sequence 0, no timeout, no data, or too much.
        """
        validate_port_id(self.port_id_on_a)
        validate_port_id(self.port_id_on_b)
        validate_channel_id(self.channel_id_on_a)
        validate_channel_id(self.channel_id_on_b)
        if self.sequence == 0:
            raise InvalidPacket("sequence 0")
        if self.timeout_height_on_b == (0, 0) and self.timeout_ns_on_b == 0:
            raise InvalidPacket("neither a timeout height nor a timeout timestamp")
        if not self.data:
            raise InvalidPacket("no data")
        if len(self.data) > MAX_DATA_SIZE:
            raise InvalidPacket(f"{len(self.data)} bytes of data exceed {MAX_DATA_SIZE}")


def timeout_elapsed(timeout_height: Height, timeout_ns: int, height: Height, time_ns: int) -> bool:
    """Whether a chain at `height` and `time_ns` is at or past the timeout; a zero part never elapses."""
    return (timeout_height != (0, 0) and height >= timeout_height) or (
        timeout_ns != 0 and time_ns >= timeout_ns
    )


RECEIPT = b"\x01"
"""Stored for a packet received on an unordered channel."""


def packet_commitment(packet: Packet) -> bytes:
    """sha256(timeout timestamp | timeout revision | timeout height | sha256(data)), integers BE8."""
    height = packet.timeout_height_on_b
    return sha256(
        packet.timeout_ns_on_b.to_bytes(8, "big")
        + height.revision_number.to_bytes(8, "big")
        + height.revision_height.to_bytes(8, "big")
        + sha256(packet.data).digest()
    ).digest()


def acknowledgement_commitment(acknowledgement: bytes) -> bytes:
    """sha256 of the acknowledgement's bytes."""
    return sha256(acknowledgement).digest()
