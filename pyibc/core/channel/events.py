"""Channel events with the attributes of ibc-go (ICS-4); packet events are in `pyibc.core.packet.types`."""

from pyibc.core.channel.types import ChannelEnd
from pyibc.core.host.block import Attribute, Event
from pyibc.core.packet.types import Packet

MODULE: Event = ("message", (("module", "ibc_channel"),))


def open_init(port_id: str, channel_id: str, end: ChannelEnd) -> Event:
    """Return the event of a channel end that is INIT on chain A."""
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
    """Return the event of a channel end that is TRYOPEN on chain B."""
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
    """Return the event `name`: `channel_open_ack`, `_open_confirm`, `_close_init` or `_close_confirm`."""
    return (f"channel_{name}", _ends(port_id, channel_id, end))


def closed_by_timeout(packet: Packet, end: ChannelEnd) -> Event:
    """Return the event of an ordered channel that a timeout closed."""
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
    """Return an event of a reverted callback with renamed attributes, as it had no effect (H4)."""
    name, attributes = event
    # guard: h4-attributes-keep-their-names drop:CALLBACK_ERROR_PREFIX
    #   test_h4_a_failed_receive_emits_only_renamed_events
    renamed = tuple((CALLBACK_ERROR_PREFIX + key, value) for key, value in attributes)
    return (CALLBACK_ERROR_PREFIX + name, renamed)
