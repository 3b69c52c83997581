"""Parser of packet events with the attributes of ibc-go.

Relayers and indexers learn of packets from events only. Events are untrusted: malformed ones raise a typed
error, and the caller counts and skips them.
"""

from binascii import unhexlify
from collections.abc import Mapping

from pyibc.core.channel.types import ORDER_TEXT, Order
from pyibc.core.errors import InvalidHeight, InvalidPacket
from pyibc.core.height import parse_height
from pyibc.core.host.block import Event
from pyibc.core.numbers import parse_u64
from pyibc.core.packet.types import Packet
from pyibc.core.value import value

SEND_PACKET = "send_packet"
RECV_PACKET = "recv_packet"
WRITE_ACKNOWLEDGEMENT = "write_acknowledgement"
ACKNOWLEDGE_PACKET = "acknowledge_packet"
TIMEOUT_PACKET = "timeout_packet"

PACKET_EVENTS = frozenset(
    {SEND_PACKET, RECV_PACKET, WRITE_ACKNOWLEDGEMENT, ACKNOWLEDGE_PACKET, TIMEOUT_PACKET}
)
"""Types of packet events; IBC v2 has the same types with other attributes."""

_ORDERS = {text: order for order, text in ORDER_TEXT.items()}


@value
class PacketEvent:
    """An event of a packet's life cycle."""

    kind: str  # one of PACKET_EVENTS
    packet: Packet  # without data in acknowledge_packet and timeout_packet, where it is optional
    order: Order
    connection_id: str  # on the chain that emitted the event
    acknowledgement: bytes  # of write_acknowledgement and of other events that have it; else empty


def read_packet_event(event: Event) -> PacketEvent | None:
    """Return the packet event; None if `event` is another event or one of IBC v2.

    Raises:
        InvalidPacket: an attribute is missing or malformed.
    """
    kind, pairs = event
    if kind not in PACKET_EVENTS:
        return None
    attributes = dict(pairs)
    if "packet_src_channel" not in attributes and "packet_source_client" in attributes:
        return None
    return packet_event_of(kind, attributes)


def packet_event_of(kind: str, attributes: Mapping[str, str]) -> PacketEvent:
    """Return the packet event of type `kind` with `attributes`.

    Data is read from `packet_data_hex`, or from `packet_data` as emitted before ibc-go v10; the
    acknowledgement likewise.

    Raises:
        InvalidPacket: an attribute is missing or malformed.
    """
    acknowledges = kind == WRITE_ACKNOWLEDGEMENT or carries(attributes, "packet_ack")
    return PacketEvent(
        kind,
        _packet(attributes),
        _ORDERS.get(attributes.get("packet_channel_ordering", ""), Order.NONE),
        attributes.get("connection_id") or attributes.get("packet_connection", ""),
        _payload(attributes, "packet_ack") if acknowledges else b"",
    )


def carries(attributes: Mapping[str, str], key: str) -> bool:
    """Return whether an event has bytes under `key`, in hexadecimal or plain as before ibc-go v10."""
    return f"{key}_hex" in attributes or key in attributes


def _packet(attributes: Mapping[str, str]) -> Packet:
    try:
        timeout_height = parse_height(_text(attributes, "packet_timeout_height"))
    except InvalidHeight as error:
        raise InvalidPacket(f"packet_timeout_height: {error}") from error
    return Packet(
        _number(attributes, "packet_sequence"),
        _text(attributes, "packet_src_port"),
        _text(attributes, "packet_src_channel"),
        _text(attributes, "packet_dst_port"),
        _text(attributes, "packet_dst_channel"),
        _payload(attributes, "packet_data") if carries(attributes, "packet_data") else b"",
        timeout_height,
        _number(attributes, "packet_timeout_timestamp"),
    )


def _text(attributes: Mapping[str, str], key: str) -> str:
    text = attributes.get(key)
    if not text:
        raise InvalidPacket(f"event without {key}")
    return text


def _number(attributes: Mapping[str, str], key: str) -> int:
    text = _text(attributes, key)
    number = parse_u64(text)
    if number is None:
        raise InvalidPacket(f"{key} {text[:64]!a} is not a 64-bit number")
    return number


def _payload(attributes: Mapping[str, str], key: str) -> bytes:
    digits = attributes.get(f"{key}_hex")
    if digits is None:
        raw = attributes.get(key)
        if raw is None:
            raise InvalidPacket(f"event without {key}_hex")
        return raw.encode("utf-8", "surrogatepass")
    try:
        return unhexlify(digits)
    except ValueError as error:
        raise InvalidPacket(f"{key}_hex is not hexadecimal") from error
