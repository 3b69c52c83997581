"""Packets (ICS-4): what they are, what is committed to, and the events that tell of them.

Chain A sends a packet, chain B receives it, all its life long.
"""

from functools import lru_cache
from hashlib import sha256
from typing import Annotated

from ibc_core.channel.types import ORDER_TEXT, ChannelEnd, Order
from ibc_core.errors import InvalidPacket
from ibc_core.height import Height
from ibc_core.host.events import Attribute, Event
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


# -- events, with the attributes of ibc-go


@lru_cache(256)
def _route(port_on_a: str, channel_on_a: str, port_on_b: str, channel_on_b: str) -> tuple[Attribute, ...]:
    return (
        ("packet_src_port", port_on_a),
        ("packet_src_channel", channel_on_a),
        ("packet_dst_port", port_on_b),
        ("packet_dst_channel", channel_on_b),
    )


@lru_cache(256)
def _channel(ordering: Order, connection_hops: tuple[str, ...]) -> tuple[Attribute, ...]:
    return (
        ("packet_channel_ordering", ORDER_TEXT[ordering]),
        ("packet_connection", connection_hops[0]),
        ("connection_id", connection_hops[0]),
    )


def _attributes(packet: Packet) -> tuple[Attribute, ...]:
    """Timeouts, sequence and route, as every packet event has them."""
    revision, height = packet.timeout_height_on_b
    return (
        ("packet_timeout_height", f"{revision}-{height}"),
        ("packet_timeout_timestamp", str(packet.timeout_ns_on_b)),
        ("packet_sequence", str(packet.sequence)),
        *_route(packet.port_id_on_a, packet.channel_id_on_a, packet.port_id_on_b, packet.channel_id_on_b),
    )


def event_head(packet: Packet) -> tuple[Attribute, ...]:
    """Data and attributes of a packet, made once for both of its events on chain B."""
    return (("packet_data_hex", packet.data.hex()), *_attributes(packet))


def send_packet_event(packet: Packet, end: ChannelEnd) -> Event:
    """Chain A sent a packet."""
    return ("send_packet", (*event_head(packet), *_channel(end.ordering, end.connection_hops)))


def recv_packet_event(head: tuple[Attribute, ...], end: ChannelEnd) -> Event:
    """Chain B received a packet; `head` is `event_head`, which the acknowledgement's event has too."""
    return ("recv_packet", (*head, *_channel(end.ordering, end.connection_hops)))


def write_acknowledgement_event(
    head: tuple[Attribute, ...], acknowledgement: bytes, end: ChannelEnd
) -> Event:
    """Chain B wrote the acknowledgement of a packet."""
    answer = ("packet_ack_hex", acknowledgement.hex())
    return ("write_acknowledgement", (*head, answer, *_channel(end.ordering, end.connection_hops)))


def acknowledge_packet_event(packet: Packet, end: ChannelEnd) -> Event:
    """Chain A received the acknowledgement of a packet."""
    return ("acknowledge_packet", (*_attributes(packet), *_channel(end.ordering, end.connection_hops)))


def timeout_packet_event(packet: Packet, end: ChannelEnd) -> Event:
    """A packet timed out on chain A."""
    ordering, _, connection_id = _channel(end.ordering, end.connection_hops)
    return ("timeout_packet", (*_attributes(packet), connection_id, ordering))


def cleanup_packet_event(packet: Packet, end: ChannelEnd) -> Event:
    """Chain A deleted the commitment of a received packet (cleanup); ibc-go has no such event."""
    return ("cleanup_packet", (*_attributes(packet), *_channel(end.ordering, end.connection_hops)))
