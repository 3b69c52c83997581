"""Packets (ICS-4), their commitments and their events.

In all names, chain A is the sending chain and chain B the receiving chain.
"""

from functools import lru_cache
from hashlib import sha256
from typing import Annotated

from pyibc.core.channel.types import ORDER_TEXT, ChannelEnd, Order
from pyibc.core.errors import InvalidPacket
from pyibc.core.height import Height
from pyibc.core.host.block import Attribute, Event
from pyibc.core.identifiers import validate_channel_id, validate_port_id
from pyibc.core.value import value
from pyibc.core.wire.columns import Wire
from pyibc.core.wire.table import on_wire
from pyibc.proto.ibc.core.channel.v1 import channel_pb2

MAX_DATA_SIZE = 262_144
"""Maximum size of a packet's data, in bytes."""


@on_wire(channel_pb2.Packet)
@value
class Packet:
    """A packet. The path of its commitment binds the source identifiers and the sequence."""

    sequence: int
    port_id_on_a: Annotated[str, Wire("source_port")]
    channel_id_on_a: Annotated[str, Wire("source_channel")]
    port_id_on_b: Annotated[str, Wire("destination_port")]
    channel_id_on_b: Annotated[str, Wire("destination_channel")]
    data: bytes
    timeout_height_on_b: Annotated[Height, Wire("timeout_height")]  # 0-0: none
    timeout_ns_on_b: Annotated[int, Wire("timeout_timestamp")]  # unix nanoseconds; 0: none

    def validate_basic(self) -> None:
        """Run the stateless checks.

        Raises:
            InvalidIdentifier: a port or channel identifier is malformed.
            InvalidPacket: the sequence is 0, there is no timeout, or the data is empty or too large.
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
    """Return whether a chain at `height` and `time_ns` has reached either timeout; zero means no timeout."""
    return (timeout_height != (0, 0) and height >= timeout_height) or (
        timeout_ns != 0 and time_ns >= timeout_ns
    )


RECEIPT = b"\x01"
"""Receipt stored for a packet received on an unordered channel."""


def packet_commitment(packet: Packet) -> bytes:
    """Return sha256(timeout timestamp | timeout revision | timeout height | sha256(data)), integers BE8."""
    height = packet.timeout_height_on_b
    return sha256(
        packet.timeout_ns_on_b.to_bytes(8, "big")
        + height.revision_number.to_bytes(8, "big")
        + height.revision_height.to_bytes(8, "big")
        + sha256(packet.data).digest()
    ).digest()


def acknowledgement_commitment(acknowledgement: bytes) -> bytes:
    """Return the sha256 of an acknowledgement's bytes."""
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
    """Return the attributes common to all packet events: timeouts, sequence and route."""
    revision, height = packet.timeout_height_on_b
    return (
        ("packet_timeout_height", f"{revision}-{height}"),
        ("packet_timeout_timestamp", str(packet.timeout_ns_on_b)),
        ("packet_sequence", str(packet.sequence)),
        *_route(packet.port_id_on_a, packet.channel_id_on_a, packet.port_id_on_b, packet.channel_id_on_b),
    )


def event_head(packet: Packet) -> tuple[Attribute, ...]:
    """Return the attributes of a packet with its data, for both of its events on chain B."""
    return (("packet_data_hex", packet.data.hex()), *_attributes(packet))


def send_packet_event(packet: Packet, end: ChannelEnd) -> Event:
    """Return the event of a packet sent by chain A."""
    return ("send_packet", (*event_head(packet), *_channel(end.ordering, end.connection_hops)))


def recv_packet_event(head: tuple[Attribute, ...], end: ChannelEnd) -> Event:
    """Return the event of a packet received by chain B; `head` is the result of `event_head`."""
    return ("recv_packet", (*head, *_channel(end.ordering, end.connection_hops)))


def write_acknowledgement_event(
    head: tuple[Attribute, ...], acknowledgement: bytes, end: ChannelEnd
) -> Event:
    """Return the event of an acknowledgement written by chain B; `head` is the result of `event_head`."""
    answer = ("packet_ack_hex", acknowledgement.hex())
    return ("write_acknowledgement", (*head, answer, *_channel(end.ordering, end.connection_hops)))


def acknowledge_packet_event(packet: Packet, end: ChannelEnd) -> Event:
    """Return the event of a packet acknowledged on chain A."""
    return ("acknowledge_packet", (*_attributes(packet), *_channel(end.ordering, end.connection_hops)))


def timeout_packet_event(packet: Packet, end: ChannelEnd) -> Event:
    """Return the event of a packet timed out on chain A."""
    ordering, _, connection_id = _channel(end.ordering, end.connection_hops)
    return ("timeout_packet", (*_attributes(packet), connection_id, ordering))


def cleanup_packet_event(packet: Packet, end: ChannelEnd) -> Event:
    """Return the event of a packet cleaned up on chain A: its commitment is deleted; not in ibc-go."""
    return ("cleanup_packet", (*_attributes(packet), *_channel(end.ordering, end.connection_hops)))
