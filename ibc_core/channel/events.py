"""Events of channels, with the attributes of ibc-go (ICS-4); those of packets stand beside the packet."""

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


CALLBACK_ERROR_PREFIX = "ibccallbackerror-"


def callback_error(event: Event) -> Event:
    """An event of a callback that was reverted, renamed so that it is not taken for an effect (H4)."""
    name, attributes = event
    # guard: h4-attributes-keep-their-names drop:CALLBACK_ERROR_PREFIX
    #   test_h4_a_failed_receive_emits_only_renamed_events
    renamed = tuple((CALLBACK_ERROR_PREFIX + key, value) for key, value in attributes)
    return (CALLBACK_ERROR_PREFIX + name, renamed)
