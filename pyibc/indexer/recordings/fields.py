"""Fields and events in a node's JSON, with specific errors.

Events are decoded to `(type, ((key, value), ...))`. Tendermint 0.34 prints keys and values in base64,
CometBFT 0.38 prints them plain, without an indication in the document. A plain key may be valid base64 by
chance, as any eight letters are, and modules may use any keys. So the majority of the keys in a document
decides, and in a base64 document, an event with a key that is not base64 of text is read as plain.
"""

from base64 import b64decode, b64encode
from binascii import Error as BinasciiError
from collections.abc import Iterable
from typing import Any, NamedTuple

from pyibc.codec.comet_json import read_base64
from pyibc.codec.gotime import parse_rfc3339
from pyibc.core.comet import read_event
from pyibc.core.host.block import Event
from pyibc.core.numbers import MAX_I64, parse_u64
from pyibc.indexer.errors import MalformedRecording

_RawEvents = list[dict[str, Any]]


def positive(found: dict[str, Any], field: str, what: str) -> int:
    """Return a positive integer, encoded as a string (as Go encodes int64 in JSON) or as a number.

    Raises:
        MalformedRecording: the field is missing or malformed.
    """
    number = _number(found.get(field))
    if number is None or not 0 < number <= MAX_I64:
        raise MalformedRecording(f"{what} without a valid {field}")
    return number


def whole(found: dict[str, Any], field: str, what: str) -> int:
    """Return an unsigned integer, which may be omitted if zero, as in protobuf JSON.

    Raises:
        MalformedRecording: the field is present and not a number in 0..2^64-1.
    """
    number = _number(found.get(field, 0))
    if number is None or number < 0:
        raise MalformedRecording(f"{what} with a {field} that is not a number")
    return number


def text(found: dict[str, Any], field: str, what: str) -> str:
    """Return a string, which may be omitted if empty.

    Raises:
        MalformedRecording: the field is present and not a string.
    """
    value = found.get(field)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise MalformedRecording(f"{what} with a {field} that is not a string")
    return value


def table(found: dict[str, Any], field: str, what: str) -> dict[str, Any]:
    """Return a JSON object.

    Raises:
        MalformedRecording: the field is missing or not an object.
    """
    value = found.get(field)
    if not isinstance(value, dict):
        raise MalformedRecording(f"{what} without a {field}")
    return value


def items(found: dict[str, Any], field: str, what: str) -> list[Any]:
    """Return a list; null counts as empty, as Go encodes it.

    Raises:
        MalformedRecording: the field is missing or not a list.
    """
    if field not in found or not isinstance(found[field], list | None):
        raise MalformedRecording(f"{what} without a list {field}")
    return found[field] or []


def base64_bytes(value: object, what: str) -> bytes:
    """Decode a base64 string.

    Raises:
        MalformedRecording: the value is not base64.
    """
    try:
        if value is not None:
            return read_base64(value)
    except (ValueError, TypeError):
        pass
    raise MalformedRecording(f"{what} is not base64")


def time_ns(value: object, what: str) -> int:
    """Parse an RFC 3339 time from 1970 to 2262 as unix nanoseconds.

    Raises:
        MalformedRecording: the value is not such a time.
    """
    try:
        found = parse_rfc3339(value) if isinstance(value, str) else None
    except ValueError:
        found = None
    if found is None or not 0 <= found <= MAX_I64:
        raise MalformedRecording(f"{what} with a time that is not an RFC 3339 time from 1970 to 2262")
    return found


def _number(value: object) -> int | None:
    if isinstance(value, str):
        return parse_u64(value)
    return value if type(value) is int else None


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
        if not isinstance(event, dict) or not isinstance(event.get("type", ""), str):
            raise MalformedRecording("the type of an event is not a string")
        if not isinstance(event.get("attributes"), list | None):
            raise MalformedRecording(f"attributes of {event.get('type', '')[:64]} are not a list")
    return group


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


def _event(event: dict[str, Any], coded: set[str]) -> Event:
    keys = [attribute.get("key") or "" for attribute in event["attributes"]]
    try:
        return read_event(event, encoded=bool(coded) and coded.issuperset(keys))
    except ValueError:
        kind = event.get("type", "")[:64]  # nodes omit it if it is empty
        raise MalformedRecording(f"an attribute of {kind} is not base64 although the others are") from None


def _is_base64_of_text(key: str) -> bool:
    try:
        raw = b64decode(key, validate=True)
        return b64encode(raw).decode() == key and raw.decode().isprintable()
    except (BinasciiError, ValueError):
        return False
