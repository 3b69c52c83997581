"""A store in a genesis file: every entry, keys and values in base64, in key order. Nothing is lost."""

from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from typing import Any

from ibc_module.core.context import KVStore, ReadStore


def export_entries(store: ReadStore) -> list[list[str]]:
    """All entries as `[key, value]`."""
    return [[b64encode(k).decode(), b64encode(v).decode()] for k, v in store.iterate(b"\x00", None)]


def restore_entries(store: KVStore, entries: Any, module: str) -> None:
    """Writes what `export_entries` gave.

    Raises:
        ValueError: `entries` is malformed; the message names the module, the place and the value.
    """
    if not isinstance(entries, list):
        raise ValueError(f"genesis: {module}.entries is not a list")  # noqa: TRY004 - one error for bad genesis
    for number, entry in enumerate(entries):
        try:
            key, content = entry
            store.set(b64decode(key, validate=True), b64decode(content, validate=True))
        except (TypeError, ValueError, Base64Error) as error:
            raise ValueError(
                f"genesis: {module}.entries[{number}]: {entry!a:.80} is not [key, value]"
            ) from error
