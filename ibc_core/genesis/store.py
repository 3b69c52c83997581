"""Conversion between a store and its genesis: sections take what they restore exactly; the rest stays raw."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from google.protobuf.message import Message

from ibc_core.genesis.entries import export_entries
from ibc_core.genesis.section import Section
from ibc_core.host.context import ReadStore
from ibc_core.wire.protojson import Unprintable, from_json, to_json

OTHER = "other_entries"
"""Field beside ibc-go's: what no section takes, such as states of a light client that is not ours."""


def export_store(store: ReadStore, empty: Message, sections: Sequence[Section]) -> dict[str, Any]:
    """A store as JSON of the message `empty`, which becomes full; nothing of the store is lost."""
    state: dict[str, Any] = to_json(empty)
    entries = list(store.iterate(b"\0", None))
    for key, value in entries:
        for section in sections:
            _add(state[section.part] if section.part else state, section, key, value)
    _drop_orphans(state)
    full = from_json(type(empty), state, "")
    given = {key: value for _, key, value in entries_of(full, sections)}
    state[OTHER] = export_entries(entry for entry in entries if given.get(entry[0]) != entry[1])
    return state


def entries_of(state: Message, sections: Sequence[Section]) -> Iterable[tuple[Section, bytes, bytes]]:
    """What a genesis says of a store; a later entry overwrites an earlier one with its key."""
    for section in sections:
        part = getattr(state, section.part) if section.part else state
        found = getattr(part, section.field)
        listed = part.DESCRIPTOR.fields_by_name[section.field].is_repeated
        for item in found if listed else [found]:
            for key, value in section.entries(item):
                yield section, key, value


def _add(part: dict[str, Any], section: Section, key: bytes, value: bytes) -> None:
    """Adds an entry to its section, if it is the section's and its JSON gives the entry again."""
    item = section.item(key, value)
    if item is None:
        return
    if isinstance(item, str) and isinstance(part[section.field], list):
        part[section.field].append(item)
        return
    if not isinstance(item, Message):
        _put(part, section, str(item) if isinstance(item, int) else item)
        return
    try:
        text = to_json(item)
    except Unprintable:
        return
    if list(section.entries(from_json(type(item), text, ""))) != [(key, value)]:
        return
    _put(part, section, text)


def _put(part: dict[str, Any], section: Section, item: Any) -> None:
    items = part[section.field]
    if not isinstance(items, list):
        part[section.field] = item
    elif section.inner and items and items[-1]["client_id"] == item["client_id"]:
        items[-1][section.inner] += item[section.inner]
    else:
        items.append(item)


def _drop_orphans(state: Mapping[str, Any]) -> None:
    """Drops items of clients that are not in the list, such as 09-localhost."""
    clients = state.get("client_genesis")
    if clients is None:
        return
    known = {item["client_id"] for item in clients["clients"]}
    for field in ("clients_metadata", "clients_consensus"):
        clients[field] = [item for item in clients[field] if item["client_id"] in known]
