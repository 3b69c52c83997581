"""Raw store entries in the genesis, with keys and values in base64."""

from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from collections.abc import Iterable, Mapping
from typing import Any

from pyibc.codec.gojson import Object
from pyibc.core.host.context import KVStore
from pyibc.core.setup_error import SetupError


class InvalidGenesis(SetupError):
    """Raised for an invalid genesis; the message names the key, its value and the reason."""

    def __init__(self, key: str, got: object, why: str) -> None:
        """Create the error for the value at `key`, such as `ibc.channel_genesis.channels[3].state`."""
        super().__init__(f"genesis: {ascii(key)[1:-1]}: {shown(got)} {why}")
        self.key = key
        self.got = got


def shown(got: object) -> str:
    """Return a JSON value for an error message; only the type of containers, as they may be deeply nested."""
    if isinstance(got, list):
        return "[...]" if got else "[]"
    if isinstance(got, Mapping | Object):
        return "{...}"
    return f"{got!a:.80}"


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
