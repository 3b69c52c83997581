"""Events of channels and packets, with the attributes of ibc-go (ICS-4)."""

from functools import lru_cache

from ibc_core.channel.types import ChannelEnd
from ibc_core.host.events import Attribute, Event
from ibc_core.packet.types import Packet

MODULE: Event = ("message", (("module", "ibc_channel"),))


def open_init(port_id: str, channel_id: str, end: ChannelEnd) -> Event:
    """Chain A's end is INIT."""
    return (
        "channel_open_init",
        (
            ("port_id", port_id),
            ("channel_id", channel_id),
            ("counterparty_port_id", end.counterparty.port_id),
            ("connection_id", end.connection_id),
            ("version", end.version),
        ),
    )


def open_try(port_id: str, channel_id: str, end: ChannelEnd) -> Event:
    """Chain B's end is TRYOPEN."""
    return (
        "channel_open_try",
        (
            ("port_id", port_id),
            ("channel_id", channel_id),
            ("counterparty_port_id", end.counterparty.port_id),
            ("counterparty_channel_id", end.counterparty.channel_id),
            ("connection_id", end.connection_id),
            ("version", end.version),
        ),
    )


def step(name: str, port_id: str, channel_id: str, end: ChannelEnd) -> Event:
    """`channel_open_ack`, `_open_confirm`, `_close_init`, `_close_confirm`."""
    return (f"channel_{name}", _ends(port_id, channel_id, end))


def closed_by_timeout(packet: Packet, end: ChannelEnd) -> Event:
    """A timeout closed an ordered channel."""
    attributes = _ends(packet.port_id_on_a, packet.channel_id_on_a, end)
    return ("channel_close", (*attributes, ("packet_channel_ordering", end.ordering.text)))


def _ends(port_id: str, channel_id: str, end: ChannelEnd) -> tuple[Attribute, ...]:
    return (
        ("port_id", port_id),
        ("channel_id", channel_id),
        ("counterparty_port_id", end.counterparty.port_id),
        ("counterparty_channel_id", end.counterparty.channel_id),
        ("connection_id", end.connection_id),
    )


@lru_cache(256)
def _route(packet_route: tuple[str, str, str, str]) -> tuple[Attribute, ...]:
    port_on_a, channel_on_a, port_on_b, channel_on_b = packet_route
    return (
        ("packet_src_port", port_on_a),
        ("packet_src_channel", channel_on_a),
        ("packet_dst_port", port_on_b),
        ("packet_dst_channel", channel_on_b),
    )


@lru_cache(256)
def _channel(ordering: str, connection_id: str) -> tuple[Attribute, ...]:
    return (
        ("packet_channel_ordering", ordering),
        ("packet_connection", connection_id),
        ("connection_id", connection_id),
    )


def packet_attributes(packet: Packet) -> tuple[Attribute, ...]:
    """Timeouts, sequence and route, as every packet event has them."""
    height = packet.timeout_height_on_b
    return (
        ("packet_timeout_height", f"{height.revision_number}-{height.revision_height}"),
        ("packet_timeout_timestamp", str(packet.timeout_ns_on_b)),
        ("packet_sequence", str(packet.sequence)),
        *_route((packet.port_id_on_a, packet.channel_id_on_a, packet.port_id_on_b, packet.channel_id_on_b)),
    )


def send_packet(packet: Packet, end: ChannelEnd) -> Event:
    """Chain A sent a packet."""
    head = ("packet_data_hex", packet.data.hex())
    return (
        "send_packet",
        (head, *packet_attributes(packet), *_channel(end.ordering.text, end.connection_id)),
    )


def recv_packet(head: tuple[Attribute, ...], end: ChannelEnd) -> Event:
    """Chain B received a packet; `head` is `packet_head`, which the acknowledgement's event has too."""
    return ("recv_packet", (*head, *_channel(end.ordering.text, end.connection_id)))


def write_acknowledgement(head: tuple[Attribute, ...], acknowledgement: bytes, end: ChannelEnd) -> Event:
    """Chain B wrote the acknowledgement of a packet."""
    answer = ("packet_ack_hex", acknowledgement.hex())
    return ("write_acknowledgement", (*head, answer, *_channel(end.ordering.text, end.connection_id)))


def packet_head(packet: Packet) -> tuple[Attribute, ...]:
    """Data and attributes of a packet, made once for both of its events on chain B."""
    return (("packet_data_hex", packet.data.hex()), *packet_attributes(packet))


def acknowledge_packet(packet: Packet, end: ChannelEnd) -> Event:
    """Chain A received the acknowledgement of a packet."""
    return (
        "acknowledge_packet",
        (*packet_attributes(packet), *_channel(end.ordering.text, end.connection_id)),
    )


def timeout_packet(packet: Packet, end: ChannelEnd) -> Event:
    """A packet timed out on chain A."""
    tail = (("connection_id", end.connection_id), ("packet_channel_ordering", end.ordering.text))
    return ("timeout_packet", (*packet_attributes(packet), *tail))


def cleanup_packet(packet: Packet, end: ChannelEnd) -> Event:
    """Chain A deleted the commitment of a received packet (cleanup); ibc-go has no such event."""
    return ("cleanup_packet", (*packet_attributes(packet), *_channel(end.ordering.text, end.connection_id)))


CALLBACK_ERROR_PREFIX = "ibccallbackerror-"


def callback_error(event: Event) -> Event:
    """An event of a callback that was reverted, renamed so that it is not taken for an effect (H4)."""
    name, attributes = event
    renamed = tuple((CALLBACK_ERROR_PREFIX + key, value) for key, value in attributes)
    return (CALLBACK_ERROR_PREFIX + name, renamed)
