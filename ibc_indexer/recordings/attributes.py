"""Events as nodes print them, brought to `(type, ((key, value), ...))`.

Tendermint 0.34 prints keys and values in base64, CometBFT 0.38 prints them plain, and nothing in a document
says which. A plain key may be base64 by chance (eight letters of the alphabet always are), a chain's own
module may print what it likes: so all keys of a document vote, and in a document in base64 an event with a
key that cannot be base64 of text is taken as it stands.
"""

from base64 import b64decode, b64encode
from binascii import Error as BinasciiError
from collections.abc import Iterable
from typing import Any

from ibc_core.comet_json.results import read_event
from ibc_core.host.events import Event
from ibc_indexer.errors import MalformedRecording

_RawEvents = list[dict[str, Any]]


def decode_events(groups: Iterable[object]) -> list[tuple[Event, ...]]:
    """The events of several lists of one document, which all are plain or all in base64.

    Raises:
        MalformedRecording: a list is no list of events with attributes.
    """
    raw = [_checked(group) for group in groups]
    keys = {a.get("key") or "" for events in raw for e in events for a in e.get("attributes") or ()}
    coded = {key for key in keys if key and _is_base64_of_text(key)}
    if 2 * len(coded) <= len(keys - {""}):
        coded = set()
    return [tuple(_event(event, coded) for event in events) for events in raw]


def split_joined(event: Event) -> list[Event]:
    """The events of which a log joined the attributes: a new one begins where a key comes again."""
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
        raise MalformedRecording(f"events are {type(group).__name__}, not a list")
    for event in group:
        _check_event(event)
    return group


def _check_event(event: object) -> None:
    if not isinstance(event, dict) or not isinstance(event.get("type", ""), str):
        raise MalformedRecording("an event's type is no text")
    kind = _kind(event)[:64]
    attributes = event.get("attributes")
    if not isinstance(attributes, list | None):
        raise MalformedRecording(f"attributes of {kind} are no list")
    for attribute in attributes or ():
        if not isinstance(attribute, dict):
            raise MalformedRecording(f"an attribute of {kind} is no object")
        for field in ("key", "value"):
            if not isinstance(attribute.get(field), str | None):
                raise MalformedRecording(f"an attribute of {kind} has a {field} that is no text")


def _kind(event: dict[str, Any]) -> str:
    """The event's type; applications may leave it empty, and nodes then leave it out."""
    kind: str = event.get("type", "")
    return kind


def _event(event: dict[str, Any], coded: set[str]) -> Event:
    keys = [attribute.get("key") or "" for attribute in event.get("attributes") or ()]
    try:
        return read_event(event, encoded=bool(coded) and coded.issuperset(keys))
    except ValueError:
        kind = _kind(event)[:64]
        raise MalformedRecording(f"an attribute of {kind} is no base64 where the others are") from None


def _is_base64_of_text(key: str) -> bool:
    try:
        raw = b64decode(key, validate=True)
        return b64encode(raw).decode() == key and raw.decode().isprintable()
    except (BinasciiError, ValueError):
        return False
