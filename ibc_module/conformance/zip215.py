"""Ed25519 signatures on which implementations differ, with the verdicts of ZIP-215."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from ibc_module.conformance.case import CaseResult, Check, expect, load_json, run_files
from light_client.crypto import ed25519, zip215

FAMILY = "zip215"
SMALL_ORDER_MESSAGE = b"Zcash"
"""Message of the small-order pairs, where a file does not name one."""


def run(folder: Path) -> list[CaseResult]:
    """The cases of `folder`, each by every implementation that is here."""
    return run_files(FAMILY, folder, _cases)


def implementations() -> dict[str, ed25519.Verify]:
    """The ways this package verifies Ed25519, by name."""
    found: dict[str, ed25519.Verify] = {"zip215": zip215.verify, "sodium": ed25519.verify_by_sodium}
    if ed25519.verify_by_zebra is not None:
        found["zebra"] = ed25519.verify_by_zebra
    return found


def _cases(path: Path) -> Iterator[tuple[str, Check]] | None:
    return _pairs(load_json(path)) if path.suffix == ".json" else None


def _pairs(data: Any) -> Iterator[tuple[str, Check]]:
    shared = SMALL_ORDER_MESSAGE
    if isinstance(data, dict):
        shared = _message(data, shared)
        data = next(value for value in data.values() if isinstance(value, list))
    for number, item in enumerate(data):
        key, signature, message, valid = _pair(item, shared)
        for name, verify in implementations().items():
            yield f"{number} {name}", partial(_verdict, verify, key, message, signature, valid)


def _pair(item: Any, shared: bytes) -> tuple[bytes, bytes, bytes, bool]:
    if isinstance(item, list):
        return bytes.fromhex(item[0]), bytes.fromhex(item[1]), shared, True
    key = _first(item, "pub_key", "vk_bytes", "public_key", "pk", "vk", "key")
    signature = _first(item, "signature", "sig_bytes", "sig")
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


def _first(item: dict[str, Any], *names: str) -> str:
    return str(next(item[name] for name in names if name in item))


def _verdict(verify: ed25519.Verify, key: bytes, message: bytes, signature: bytes, valid: bool) -> None:
    expect(verify(key, message, signature), valid)
