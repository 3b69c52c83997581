"""Packet events of IBC v2 with the attributes of ibc-go.

Their types are those of IBC v1, the attributes differ: packets and acknowledgements are the hexadecimal of
their protobuf encodings, which the caller passes.
"""

from binascii import unhexlify
from collections.abc import Mapping

from pyibc.core.errors import InvalidPacketV2
from pyibc.core.host.block import Attribute, Event
from pyibc.core.packet.events import PACKET_EVENTS, WRITE_ACKNOWLEDGEMENT
from pyibc.core.packet_v2.types import PacketV2, decode_acknowledgement, decode_packet
from pyibc.core.value import value
from pyibc.core.wire.states import CorruptState

MODULE: Event = ("message", (("module", "ibc_channelv2"),))


def packet_attributes(packet: PacketV2, encoded_packet: bytes) -> tuple[Attribute, ...]:
    """Return the attributes common to all events of a packet."""
    return (
        ("packet_source_client", packet.client_id_on_a),
        ("packet_dest_client", packet.client_id_on_b),
        ("packet_sequence", str(packet.sequence)),
        ("packet_timeout_timestamp", str(packet.timeout_s_on_b)),
        ("encoded_packet_hex", encoded_packet.hex()),
    )


def send_packet(head: tuple[Attribute, ...]) -> Event:
    """Return the event of a packet sent by chain A; `head` is the result of `packet_attributes`."""
    return "send_packet", head


def recv_packet(head: tuple[Attribute, ...]) -> Event:
    """Return the event of a packet received by chain B."""
    return "recv_packet", head


def write_acknowledgement(head: tuple[Attribute, ...], encoded_acknowledgement: bytes) -> Event:
    """Return the event of an acknowledgement written by chain B."""
    return "write_acknowledgement", (*head, ("encoded_acknowledgement_hex", encoded_acknowledgement.hex()))


def acknowledge_packet(head: tuple[Attribute, ...]) -> Event:
    """Return the event of a packet acknowledged on chain A."""
    return "acknowledge_packet", head


def timeout_packet(head: tuple[Attribute, ...]) -> Event:
    """Return the event of a packet timed out on chain A."""
    return "timeout_packet", head


# -- parser of IBC v2 packet events with the attributes of ibc-go
#
# Each event has the complete packet, as the hexadecimal of its protobuf encoding.


@value
class PacketEventV2:
    """An event of a packet's life cycle."""

    kind: str  # one of PACKET_EVENTS
    packet: PacketV2
    acknowledgement: bytes  # `ibc.core.channel.v2.Acknowledgement` if the event has one; else empty


def read_packet_event_v2(event: Event) -> PacketEventV2 | None:
    """Return the IBC v2 packet event; None if `event` is another event or one of IBC v1.

    Raises:
        InvalidPacketV2: an attribute is missing or cannot be decoded.
    """
    kind, pairs = event
    if kind not in PACKET_EVENTS:
        return None
    attributes = dict(pairs)
    return packet_event_v2_of(kind, attributes) if "packet_source_client" in attributes else None


def packet_event_v2_of(kind: str, attributes: Mapping[str, str]) -> PacketEventV2:
    """Return the packet event of type `kind` with `attributes`.

    Raises:
        InvalidPacketV2: an attribute is missing or cannot be decoded.
    """
    packet = _octets(attributes, "encoded_packet_hex")
    acknowledgement = b""
    if kind == WRITE_ACKNOWLEDGEMENT or "encoded_acknowledgement_hex" in attributes:
        acknowledgement = _octets(attributes, "encoded_acknowledgement_hex")
    try:
        decode_acknowledgement(acknowledgement)
        return PacketEventV2(kind, decode_packet(packet), acknowledgement)
    except CorruptState as error:
        raise InvalidPacketV2(f"{kind}: {error}") from error


def _octets(attributes: Mapping[str, str], key: str) -> bytes:
    digits = attributes.get(key)
    if not digits:
        raise InvalidPacketV2(f"event without {key}")
    try:
        return unhexlify(digits)
    except ValueError as error:
        raise InvalidPacketV2(f"{key} is not hexadecimal") from error
