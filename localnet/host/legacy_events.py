"""Event attributes of ibc-go before v9 that relayers still read; enabled by `HostConfig.legacy_events`.

`packet_data` and `packet_ack` precede the same bytes in hex, as text; invalid UTF-8 is replaced, so only the
hex is exact. `header` is appended to `update_client`: the hex of the client message's Any, which Hermes needs
to detect misbehaviour. Block events matter most: in push mode, Hermes does not read `packet_ack_hex` there.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress

from ibc_core.host.events import Attribute, Event
from ibc_core.packet.event_reader import RECV_PACKET, SEND_PACKET, WRITE_ACKNOWLEDGEMENT
from ibc_proto.ibc.core.client.v1.tx_pb2 import MsgUpdateClient

UPDATE_CLIENT = "/ibc.core.client.v1.MsgUpdateClient"
_RAW = {"packet_data_hex": "packet_data", "packet_ack_hex": "packet_ack"}
_OF_PACKETS = frozenset((SEND_PACKET, RECV_PACKET, WRITE_ACKNOWLEDGEMENT))


def with_legacy(events: Iterable[Event], header: str = "") -> tuple[Event, ...]:
    """Adds the legacy attributes; `header` is the hex of the client message that caused the events."""
    return tuple([_event(event, header) for event in events])


def header_of(type_url: str, message: bytes) -> str:
    """Hex of the client message (an Any) of a MsgUpdateClient; "" for any other message."""
    if type_url != UPDATE_CLIENT:
        return ""
    return MsgUpdateClient.FromString(message).client_message.SerializeToString(deterministic=True).hex()


def _event(event: Event, header: str) -> Event:
    name, pairs = event
    if name in _OF_PACKETS:
        return name, tuple(_with_raw(pairs))
    if header and name == "update_client":
        return name, (*pairs, ("header", header))
    return event


def _with_raw(pairs: Iterable[Attribute]) -> Iterator[Attribute]:
    for pair in pairs:
        key, text = pair
        if key in _RAW:
            with suppress(ValueError):  # no hex: an application's event under the name of one of ours
                yield _RAW[key], bytes.fromhex(text).decode("utf-8", "replace")
        yield pair
