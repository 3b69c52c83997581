"""Entries of a store that have no section of their own in the genesis: keys and values in base64."""

from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from collections.abc import Iterable, Mapping
from typing import Any

from ibc_core.host.context import KVStore
from ibc_core.setup_error import SetupError
from ibc_core.wire.gojson import Object


class InvalidGenesis(SetupError):
    """A genesis that no chain can start from; one line that names the key, its value and why."""

    def __init__(self, key: str, got: object, why: str) -> None:
        """`key` is the path of the value in the genesis: `ibc.channel_genesis.channels[3].state`."""
        super().__init__(f"genesis: {ascii(key)[1:-1]}: {shown(got)} {why}")
        self.key = key
        self.got = got


def shown(got: object) -> str:
    """What JSON holds, for a refusal: of containers their kind, since they may be as deep as JSON goes."""
    if isinstance(got, list):
        return "[...]" if got else "[]"
    if isinstance(got, Mapping | Object):
        return "{...}"
    return f"{got!a:.80}"


def export_entries(entries: Iterable[tuple[bytes, bytes]]) -> list[dict[str, str]]:
    """Entries as `{"key": ..., "value": ...}`."""
    return [{"key": b64encode(k).decode(), "value": b64encode(v).decode()} for k, v in entries]


def parse_entries(entries: Any, key: str) -> list[tuple[bytes, bytes]]:
    """The reverse of `export_entries`; `key` names the list in errors.

    Raises:
        InvalidGenesis: `entries` is malformed.
    """
    if not isinstance(entries, list):
        raise InvalidGenesis(key, entries, "is not a list")
    return [_entry(entry, f"{key}[{number}]") for number, entry in enumerate(entries)]


def restore_entries(store: KVStore, genesis: Mapping[str, Any], module: str) -> None:
    """Writes the `entries` of a module that keeps nothing else in its genesis.

    Raises:
        InvalidGenesis: they are malformed, before anything is written.
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
    """The bytes that `text` encodes.

    Raises:
        InvalidGenesis: it is not base64; `key` names it.
    """
    try:
        return b64decode(text, validate=True)
    except (TypeError, ValueError, Base64Error):
        raise InvalidGenesis(key, text, "is not base64") from None
