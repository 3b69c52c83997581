"""C2SP/wycheproof: Ed25519 and ECDSA over secp256k1."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from ibc_module.conformance.case import CaseResult, Check, expect, load_json, run_files
from ibc_module.conformance.zip215 import implementations
from light_client.crypto import ed25519, secp256k1

FAMILY = "wycheproof"
_VALID_BY_ZIP215 = {151}
"""Ed25519 cases that only ZIP-215 accepts: a non-canonical y = 1 with the sign bit set."""

_HALF_ORDER = 0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0
_Json = dict[str, Any]


def run(folder: Path) -> list[CaseResult]:
    """The cases of `folder`."""
    return run_files(FAMILY, folder, _cases)


def left_out(folder: Path) -> dict[str, str]:
    """The ECDSA files, where nothing is installed that verifies secp256k1."""
    if secp256k1.available():
        return {}
    return {path.name: "package coincurve is missing" for path in sorted(folder.glob("ecdsa_*.json"))}


def _cases(path: Path) -> Iterator[tuple[str, Check]] | None:
    if path.suffix != ".json":
        return None
    if path.name in left_out(path.parent):
        return iter(())
    data = load_json(path)
    runner = _RUNNERS.get((data.get("algorithm", ""), data.get("schema", "").partition("_schema")[0]))
    return None if runner is None else runner(data)


def _tests(data: _Json) -> Iterator[tuple[_Json, _Json]]:
    for group in data["testGroups"]:
        for test in group["tests"]:
            yield group, test


def _ed25519(data: _Json) -> Iterator[tuple[str, Check]]:
    for group, test in _tests(data):
        valid = test["result"] == "valid" or test["tcId"] in _VALID_BY_ZIP215
        key, message, signature = (
            bytes.fromhex(part) for part in (group["publicKey"]["pk"], test["msg"], test["sig"])
        )
        for name, verify in implementations().items():
            yield f"{test['tcId']} {name}", partial(_compare, verify, key, message, signature, valid)


def _p1363(data: _Json) -> Iterator[tuple[str, Check]]:
    """R and s as 64 bytes. CometBFT refuses an s in the upper half, which the vectors do not."""
    for group, test in _tests(data):
        signature = bytes.fromhex(test["sig"])
        low = int.from_bytes(signature[32:], "big") <= _HALF_ORDER
        valid = test["result"] == "valid" and low
        yield str(test["tcId"]), partial(_compare_secp256k1, group, test, signature, valid)


def _der(data: _Json) -> Iterator[tuple[str, Check]]:
    """DER signatures: those in strict DER are turned to r and s; nothing else has a 64-byte form."""
    for group, test in _tests(data):
        numbers = _strict_der(bytes.fromhex(test["sig"]))
        if numbers is None:
            yield str(test["tcId"]), partial(expect, test["result"], "invalid")
            continue
        r, s = numbers
        valid = test["result"] == "valid" and s <= _HALF_ORDER
        signature = r.to_bytes(32, "big") + s.to_bytes(32, "big")
        yield str(test["tcId"]), partial(_compare_secp256k1, group, test, signature, valid)


def _strict_der(data: bytes) -> tuple[int, int] | None:
    """R and s of a canonical DER signature whose integers fit 32 bytes."""
    if len(data) < 2 or data[0] != 0x30 or data[1] != len(data) - 2:
        return None
    first = _integer(data, 2)
    second = _integer(data, first[1]) if first else None
    if first is None or second is None or second[1] != len(data):
        return None
    return first[0], second[0]


def _integer(data: bytes, at: int) -> tuple[int, int] | None:
    if len(data) < at + 3 or data[at] != 2:
        return None
    size, start = data[at + 1], at + 2
    body = data[start : start + size]
    minimal = len(body) == size > 0 and body[0] < 0x80 and (size == 1 or body[0] > 0 or body[1] >= 0x80)
    number = int.from_bytes(body, "big")
    return (number, start + size) if minimal and number < 2**256 else None


def _compare(verify: ed25519.Verify, key: bytes, message: bytes, signature: bytes, valid: bool) -> None:
    expect(verify(key, message, signature), valid)


def _compare_secp256k1(group: _Json, test: _Json, signature: bytes, valid: bool) -> None:
    key = group["publicKey"]
    x, y = (int(key[part], 16) for part in ("wx", "wy"))
    compressed = bytes([2 + (y & 1)]) + x.to_bytes(32, "big")
    expect(secp256k1.verify(compressed, bytes.fromhex(test["msg"]), signature), valid)


_RUNNERS: dict[tuple[str, str], Callable[[_Json], Iterator[tuple[str, Check]]]] = {
    ("EDDSA", "eddsa_verify"): _ed25519,
    ("ECDSA", "ecdsa_p1363_verify"): _p1363,
    ("ECDSA", "ecdsa_verify"): _der,
    ("ECDSA", "ecdsa_bitcoin_verify"): _der,
}
