"""Compression of repetitive data between nodes and relayers, in the zlib format (RFC 1950).

It reduces the proofs at one header, or the events of a block, to about a seventh.
"""

import zlib
from collections.abc import Iterable

from pyibc.core.host.block import Attribute, Event
from pyibc.core.packet.events import PACKET_EVENTS

FAST = 1
"""Compression level; higher levels gain little here."""


class NotDeflated(ValueError):
    """Raised for bytes that are not zlib's format, are truncated, or inflate to more than allowed."""


def deflate(raw: bytes) -> bytes:
    """Return `raw` compressed in the zlib format."""
    return zlib.compress(raw, FAST)


def inflate(deflated: bytes, most: int) -> bytes:
    """Return the decompressed bytes, at most `most`: a kilobyte may inflate to a megabyte.

    Raises:
        NotDeflated: the input is malformed or inflates to more.
    """
    whole = zlib.decompressobj()
    try:
        # guard: h237-inflated-without-bound drop:most test_h237_a_gigabyte_is_not_made_of_a_megabyte
        #   test_h237_no_more_is_inflated_than_a_block_has
        raw = whole.decompress(deflated, most)
    except zlib.error:
        raise NotDeflated("not in zlib's format") from None
    if not whole.eof or whole.unused_data:
        raise NotDeflated(f"truncated, or more than {most} bytes")
    return raw


# -- compression of packet events: removal of redundant attributes and of attributes of the channel

_OF_THE_CHANNEL = frozenset({"packet_channel_ordering", "packet_connection", "connection_id"})
_OF_THE_TX = "msg_index"
_EXACT = {"packet_data": "packet_data_hex", "packet_ack": "packet_ack_hex"}
"""Attributes with bytes as text, and the attributes with the same bytes in hexadecimal."""


def compact_events(events: Iterable[Event]) -> tuple[Event, ...]:
    """Return the events, with packet events (IBC v1 and v2) reduced to the attributes of the packet.

    The channel's ordering and connection and the message index are removed, as well as data and
    acknowledgement as text if they are present in hexadecimal. `event_reader` reads the same packets from
    the result.
    """
    return tuple([_compacted(event) if event[0] in PACKET_EVENTS else event for event in events])


def _compacted(event: Event) -> Event:
    kind, attributes = event
    keys = {key for key, _ in attributes}
    return kind, tuple([each for each in attributes if _is_needed(each, keys)])


def _is_needed(attribute: Attribute, keys: set[str]) -> bool:
    key = attribute[0]
    if key in _OF_THE_CHANNEL or key == _OF_THE_TX:
        return False
    # guard: brief-events-lose-their-bytes {_EXACT.get(key) not in keys => key not in _EXACT}
    #   test_bytes_that_are_there_in_text_alone_stay
    return _EXACT.get(key) not in keys
