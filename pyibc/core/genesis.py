"""Conversion between a store and its genesis state.

Each section has the entries that it can restore exactly; all other entries are exported raw, with keys and
values in base64.
"""

from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from google.protobuf.message import DecodeError, Message

from pyibc.codec.encoding import encode
from pyibc.codec.protojson import Unprintable, from_json, to_json
from pyibc.core.errors import IbcError
from pyibc.core.host.context import KVStore, ReadStore
from pyibc.core.numbers import be8
from pyibc.core.setup_error import InvalidGenesis


def export_entries(entries: Iterable[tuple[bytes, bytes]]) -> list[dict[str, str]]:
    """Return entries as `{"key": ..., "value": ...}` with base64 texts."""
    return [{"key": b64encode(k).decode(), "value": b64encode(v).decode()} for k, v in entries]


def parse_entries(entries: Any, key: str) -> list[tuple[bytes, bytes]]:
    """Return the entries that `export_entries` wrote; errors name the list `key`.

    Raises:
        InvalidGenesis: the list or an entry is malformed.
    """
    if not isinstance(entries, list):
        raise InvalidGenesis(key, entries, "is not a list")
    return [_entry(entry, f"{key}[{number}]") for number, entry in enumerate(entries)]


def restore_entries(store: KVStore, genesis: Mapping[str, Any], module: str) -> None:
    """Write the `entries` of a module whose genesis has no other content.

    Raises:
        InvalidGenesis: an entry is malformed; nothing is written then.
    """
    given = genesis.get(module, {})
    if not isinstance(given, Mapping) or not given.keys() <= {"entries"}:
        raise InvalidGenesis(module, given, "is not an object with `entries`")
    for key, content in parse_entries(given.get("entries", []), f"{module}.entries"):
        store.set(key, content)


def _entry(entry: Any, key: str) -> tuple[bytes, bytes]:
    if not isinstance(entry, dict) or entry.keys() != {"key", "value"}:
        raise InvalidGenesis(key, entry, "is not a key and a value")
    name, content = (decode_base64(entry[field], f"{key}.{field}") for field in ("key", "value"))
    if not name:
        raise InvalidGenesis(f"{key}.key", entry["key"], "is empty")
    return name, content


def decode_base64(text: Any, key: str) -> bytes:
    """Return the bytes that `text` encodes.

    Raises:
        InvalidGenesis: the text is not base64; the error names `key`.
    """
    try:
        return b64decode(text, validate=True)
    except (TypeError, ValueError, Base64Error):
        raise InvalidGenesis(key, text, "is not base64") from None


# -- conversion between lists of the genesis state and store entries, in both directions

M = TypeVar("M", bound=Message)

Entry = tuple[bytes, bytes]
"""Key and value of a store entry."""


class Section(NamedTuple):
    """One field of a genesis state: a list of items or a single value."""

    part: str  # `channel_genesis`
    field: str  # `receipts`
    read: Callable[[bytes, bytes], Message | int | str | None]
    """(key, value) -> the item, or None if the entry is not of this section. May raise DecodeError."""
    entries: Callable[[Any], Iterable[Entry]]
    """Item -> its store entries."""
    inner: str = ""
    """Field of the nested list if all items of a client are grouped in one item; else empty."""

    def item(self, key: bytes, value: bytes) -> Message | int | str | None:
        """Return the item of an entry; None if the item would not restore exactly this entry."""
        try:
            found = self.read(key, value)
        except (DecodeError, IbcError, ValueError):
            return None
        return found if found is not None and list(self.entries(found)) == [(key, value)] else None


def counter(part: str, field: str, at: bytes) -> Section:
    """Return the section of the 8-byte number at the key `at`."""

    def read(key: bytes, value: bytes) -> int | None:
        return int.from_bytes(value, "big") if key == at and len(value) == 8 else None

    return Section(part, field, read, lambda number: [(at, be8(number))])


def single(part: str, field: str, at: bytes, kind: type[Message]) -> Section:
    """Return the section of the message of class `kind` at the key `at`."""

    def read(key: bytes, value: bytes) -> Message | None:
        return kind.FromString(value) if key == at else None

    return Section(part, field, read, lambda message: [(at, encode(message))])


def require(check: Callable[[Any], object], got: Any, key: str) -> None:
    """Run a check of the value at `key` of the genesis.

    Raises:
        InvalidGenesis: the check raised IbcError.
    """
    try:
        check(got)
    except IbcError as error:
        raise InvalidGenesis(key, got, f"is refused: {error}") from error


def require_new(name: Any, seen: set[Any], key: str) -> None:
    """Check that `name` is new, and add it to `seen`.

    Raises:
        InvalidGenesis: `name` is in `seen`.
    """
    if name in seen:
        raise InvalidGenesis(key, name, "comes twice")
    seen.add(name)


def require_next(number: int, used: Iterable[int], key: str) -> None:
    """Check that a counter exceeds every number in use.

    Raises:
        InvalidGenesis: the next identifier would already exist.
    """
    largest = max(used, default=-1)
    if number <= largest:
        raise InvalidGenesis(key, number, f"is not beyond {largest}, which is in use")


# -- stores

OTHER = "other_entries"
"""Additional field for entries without a section, such as the states of an unknown light client."""


def part_of(genesis: Mapping[str, Any], name: str, within: str = "") -> Mapping[str, Any]:
    """Return the object `name` of a genesis or, in errors, of its part `within`; empty if it is absent.

    Raises:
        InvalidGenesis: it is not an object.
    """
    part = genesis.get(name, {})
    if not isinstance(part, Mapping):
        raise InvalidGenesis(f"{within}.{name}" if within else name, part, "is not an object")
    return part


def state_of(kind: type[M], part: Mapping[str, Any], key: str) -> M:
    """Return the message that the part `key` of a genesis has, without `OTHER`.

    Raises:
        InvalidGenesis: the part is malformed.
    """
    return from_json(kind, {name: part[name] for name in part if name != OTHER}, key)


def write_store(store: KVStore, entries: Iterable[Entry], part: Mapping[str, Any], key: str) -> None:
    """Write the entries of the part `key` of a genesis, then those that it has in `OTHER`.

    Raises:
        InvalidGenesis: `OTHER` is malformed; nothing is written then.
    """
    other = parse_entries(part.get(OTHER, []), f"{key}.{OTHER}")
    for at, value in (*entries, *other):
        store.set(at, value)


def export_store(store: ReadStore, empty: Message, sections: Sequence[Section]) -> dict[str, Any]:
    """Return all entries of a store as JSON of the message `empty`, which is filled."""
    state: dict[str, Any] = to_json(empty)
    entries = list(store.iterate(b"\0", None))
    for key, value in entries:
        for section in sections:
            _add(state[section.part] if section.part else state, section, key, value)
    _drop_orphans(state)
    full = from_json(type(empty), state, "")
    given = dict(entries_of(full, sections))
    state[OTHER] = export_entries(entry for entry in entries if given.get(entry[0]) != entry[1])
    return state


def entries_of(state: Message, sections: Sequence[Section]) -> Iterable[Entry]:
    """Yield key and value of each store entry of a genesis state; of equal keys, the last entry counts."""
    for section in sections:
        part = getattr(state, section.part) if section.part else state
        found = getattr(part, section.field)
        listed = part.DESCRIPTOR.fields_by_name[section.field].is_repeated
        for item in found if listed else [found]:
            yield from section.entries(item)


def _add(part: dict[str, Any], section: Section, key: bytes, value: bytes) -> None:
    """Add an entry to its section if the section's JSON restores the entry exactly."""
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
    """Drop items of clients without a client state, such as 09-localhost."""
    clients = state.get("client_genesis")
    if clients is None:
        return
    known = {item["client_id"] for item in clients["clients"]}
    for field in ("clients_metadata", "clients_consensus"):
        clients[field] = [item for item in clients[field] if item["client_id"] in known]
