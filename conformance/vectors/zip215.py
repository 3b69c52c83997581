"""Ed25519 signatures on which implementations differ, with the verdicts of ZIP-215."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from conformance.case import Cases, expect
from conformance.files import json_in
from pyibc.core import native
from pyibc.core.crypto import ed25519, zip215

_KEYS = ("pub_key", "vk_bytes", "public_key", "pk", "vk", "key")
_SIGNATURES = ("signature", "sig_bytes", "sig")
SMALL_ORDER_MESSAGE = b"Zcash"
"""Message of the small-order pairs, if a file does not name one."""


def implementations() -> dict[str, ed25519.Verify]:
    """Return this package's Ed25519 verifiers, by name."""
    found: dict[str, ed25519.Verify] = {"zip215": zip215.verify, "sodium": ed25519.verify_by_sodium}
    if ed25519.verify_by_zebra is not None:
        found["zebra"] = ed25519.verify_by_zebra
    if native.NATIVE is not None:
        found["native"] = _verify_by_native
    return found


def _verify_by_native(public_key: bytes, message: bytes, signature: bytes) -> bool:
    return native.all_verify([(public_key, message, signature)])


def cases_of(path: Path) -> Cases | None:
    """Return the cases of a file of Ed25519 edge cases; None for any other file."""
    data = json_in(path)
    lists = [each for each in data.values() if isinstance(each, list)] if isinstance(data, dict) else [data]
    if (
        len(lists) != 1
        or not lists[0]
        or not isinstance(lists[0], list)
        or not all(_is_pair(item) for item in lists[0])
    ):
        return None
    return _pairs(lists[0], _message(data, SMALL_ORDER_MESSAGE) if isinstance(data, dict) else None)


def _is_pair(item: Any) -> bool:
    """Return whether an item has a key and a signature: a list of two texts, or an object with both."""
    if isinstance(item, list):
        return len(item) == 2 and all(isinstance(text, str) for text in item)
    return isinstance(item, dict) and bool(item.keys() & set(_KEYS) and item.keys() & set(_SIGNATURES))


def _pairs(items: list[Any], shared: bytes | None) -> Cases:
    for number, item in enumerate(items):
        key, signature, message, valid = _pair(item, SMALL_ORDER_MESSAGE if shared is None else shared)
        for name, verify in implementations().items():
            yield f"{number} {name}", partial(_verdict, verify, key, message, signature, valid)


def _pair(item: Any, shared: bytes) -> tuple[bytes, bytes, bytes, bool]:
    if isinstance(item, list):
        return bytes.fromhex(item[0]), bytes.fromhex(item[1]), shared, True
    key, signature = _first(item, _KEYS), _first(item, _SIGNATURES)
    valid = item.get("valid", item.get("valid_zip215", True))
    return bytes.fromhex(key), bytes.fromhex(signature), _message(item, shared), valid


def _message(item: dict[str, Any], shared: bytes) -> bytes:
    for name in ("message", "msg", "message_hex"):
        if isinstance(item.get(name), str):
            try:
                return bytes.fromhex(item[name])
            except ValueError:
                return str(item[name]).encode()
    return shared


def _first(item: dict[str, Any], names: Sequence[str]) -> str:
    return str(next(item[name] for name in names if name in item))


def _verdict(verify: ed25519.Verify, key: bytes, message: bytes, signature: bytes, valid: bool) -> None:
    expect(verify(key, message, signature), valid)
