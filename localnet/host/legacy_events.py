"""Attributes that ibc-go wrote before v9 and relayers still read; `HostConfig.legacy_events` adds them.

`packet_data` and `packet_ack` stand before the same bytes in hex, as raw text: what is not UTF-8 is replaced,
so the hex stays the truth. `header` ends `update_client`: the Any of the client message in hex, by which
Hermes looks for misbehaviour. Block events matter most: Hermes' push mode reads no `packet_ack_hex` there.
"""

from collections.abc import Iterable

from ibc_core.host.events import Attribute, Event
from ibc_proto.ibc.core.client.v1.tx_pb2 import MsgUpdateClient

UPDATE_CLIENT = "/ibc.core.client.v1.MsgUpdateClient"
_RAW = {"packet_data_hex": "packet_data", "packet_ack_hex": "packet_ack"}


def with_legacy(events: Iterable[Event], header: str = "") -> tuple[Event, ...]:
    """The events with the older attributes; `header` is the hex of the client message that caused them."""
    return tuple([_event(name, pairs, header) for name, pairs in events])


def header_of(type_url: str, message: bytes) -> str:
    """Hex of the client message (an Any) of a MsgUpdateClient, "" for any other message."""
    if type_url != UPDATE_CLIENT:
        return ""
    return MsgUpdateClient.FromString(message).client_message.SerializeToString(deterministic=True).hex()


def _event(name: str, pairs: tuple[Attribute, ...], header: str) -> Event:
    found: list[Attribute] = []
    for key, text in pairs:
        if key in _RAW:
            found.append((_RAW[key], bytes.fromhex(text).decode("utf-8", "replace")))
        found.append((key, text))
    if header and name == "update_client":
        found.append(("header", header))
    return name, tuple(found)
