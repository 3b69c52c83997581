"""Packet events without what nobody needs to be told: what another attribute says as well, or the channel."""

from collections.abc import Iterable

from ibc_core.host.events import Attribute, Event
from ibc_core.packet.event_reader import PACKET_EVENTS

_OF_THE_CHANNEL = frozenset({"packet_channel_ordering", "packet_connection", "connection_id"})
_OF_THE_TX = "msg_index"
_EXACT = {"packet_data": "packet_data_hex", "packet_ack": "packet_ack_hex"}
"""Bytes as text, and the attribute that has them exactly."""


def brief(events: Iterable[Event]) -> tuple[Event, ...]:
    """The events; those of packets, of either version, without attributes by which no packet is known.

    Their channel's order and connection are not told, nor their message's index; data and acknowledgement in
    text only where they are not there in hexadecimal. `event_reader` reads the same packets.
    """
    return tuple([_brief(event) if event[0] in PACKET_EVENTS else event for event in events])


def _brief(event: Event) -> Event:
    kind, attributes = event
    keys = {key for key, _ in attributes}
    return kind, tuple([each for each in attributes if _is_told(each, keys)])


def _is_told(attribute: Attribute, keys: set[str]) -> bool:
    key = attribute[0]
    if key in _OF_THE_CHANNEL or key == _OF_THE_TX:
        return False
    # guard: brief-events-lose-their-bytes {_EXACT.get(key) not in keys => key not in _EXACT}
    #   test_bytes_that_are_there_in_text_alone_stay
    return _EXACT.get(key) not in keys
