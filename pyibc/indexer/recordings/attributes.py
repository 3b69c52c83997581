"""Decoder of events as nodes print them, to `(type, ((key, value), ...))`.

Tendermint 0.34 prints keys and values in base64, CometBFT 0.38 prints them plain, without an indication in
the document. A plain key may be valid base64 by chance, as any eight letters are, and modules may use any
keys. So the majority of the keys in a document decides, and in a base64 document, an event with a key that is
not base64 of text is read as plain.
"""

from base64 import b64decode, b64encode
from binascii import Error as BinasciiError
from collections.abc import Iterable
from typing import Any, NamedTuple

from pyibc.core.comet.results import read_event
from pyibc.core.host.block import Event
from pyibc.indexer.errors import MalformedRecording

_RawEvents = list[dict[str, Any]]


class Decoded(NamedTuple):
    """Decoded event lists."""

    groups: list[tuple[Event, ...]]
    left_out: int  # attributes that are not text, such as headers that an explorer has decoded


def decode_events(groups: Iterable[object]) -> Decoded:
    """Decode several event lists of one document, which have the same encoding.

    Raises:
        MalformedRecording: a value is not a list of events with attributes.
    """
    given = [_checked(group) for group in groups]
    raw = [[{**event, "attributes": _texts(event)} for event in events] for events in given]
    left_out = _count(given) - _count(raw)
    keys = {a.get("key") or "" for events in raw for e in events for a in e["attributes"]}
    coded = {key for key in keys if key and _is_base64_of_text(key)}
    if 2 * len(coded) <= len(keys - {""}):
        coded = set()
    return Decoded([tuple(_event(event, coded) for event in events) for events in raw], left_out)


def split_joined(event: Event) -> list[Event]:
    """Split an event whose attributes a log has joined; a repeated key begins a new event."""
    kind, attributes = event
    parts, current = list[Event](), dict[str, str]()
    for key, value in attributes:
        if key in current:
            parts.append((kind, tuple(current.items())))
            current = {}
        current[key] = value
    return [*parts, (kind, tuple(current.items()))]


def _checked(group: object) -> _RawEvents:
    if group is None:
        return []
    if not isinstance(group, list):
        raise MalformedRecording(f"events are of type {type(group).__name__}, not a list")
    for event in group:
        _check_event(event)
    return group


def _check_event(event: object) -> None:
    if not isinstance(event, dict) or not isinstance(event.get("type", ""), str):
        raise MalformedRecording("the type of an event is not a string")
    if not isinstance(event.get("attributes"), list | None):
        raise MalformedRecording(f"attributes of {_kind(event)[:64]} are not a list")


def _texts(event: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the attributes whose key and value are text, or null, which means empty."""
    return [
        attribute
        for attribute in event.get("attributes") or ()
        if isinstance(attribute, dict)
        and isinstance(attribute.get("key"), str | None)
        and isinstance(attribute.get("value"), str | None)
    ]


def _count(groups: Iterable[_RawEvents]) -> int:
    return sum(len(event.get("attributes") or ()) for events in groups for event in events)


def _kind(event: dict[str, Any]) -> str:
    """Return the event type, which nodes omit if it is empty."""
    kind: str = event.get("type", "")
    return kind


def _event(event: dict[str, Any], coded: set[str]) -> Event:
    keys = [attribute.get("key") or "" for attribute in event["attributes"]]
    try:
        return read_event(event, encoded=bool(coded) and coded.issuperset(keys))
    except ValueError:
        kind = _kind(event)[:64]
        raise MalformedRecording(f"an attribute of {kind} is not base64 although the others are") from None


def _is_base64_of_text(key: str) -> bool:
    try:
        raw = b64decode(key, validate=True)
        return b64encode(raw).decode() == key and raw.decode().isprintable()
    except (BinasciiError, ValueError):
        return False
