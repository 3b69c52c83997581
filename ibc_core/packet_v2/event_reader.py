"""Parses packet events of IBC v2 (attributes as ibc-go emits them).

Each has the whole packet, as the hexadecimal of its protobuf bytes.
"""

from binascii import unhexlify
from collections.abc import Mapping

from ibc_core.errors import InvalidPacketV2
from ibc_core.host.events import Event
from ibc_core.packet.event_reader import PACKET_EVENTS, WRITE_ACKNOWLEDGEMENT
from ibc_core.packet_v2.states import decode_acknowledgement, decode_packet
from ibc_core.packet_v2.types import PacketV2
from ibc_core.value import value
from ibc_core.wire.states import CorruptState


@value
class PacketEventV2:
    """One step in the life of a packet."""

    kind: str  # one of PACKET_EVENTS
    packet: PacketV2
    acknowledgement: bytes  # `ibc.core.channel.v2.Acknowledgement`, where the event has one; else empty


def read_packet_event_v2(event: Event) -> PacketEventV2 | None:
    """The packet event of IBC v2 that `event` is; None if it is another event, or one of v1.

    Raises:
        InvalidPacketV2: an attribute is missing or cannot be decoded.
    """
    kind, pairs = event
    if kind not in PACKET_EVENTS:
        return None
    attributes = dict(pairs)
    return packet_event_v2_of(kind, attributes) if "packet_source_client" in attributes else None


def packet_event_v2_of(kind: str, attributes: Mapping[str, str]) -> PacketEventV2:
    """The packet event of type `kind` with `attributes`.

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
