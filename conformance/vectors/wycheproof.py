"""C2SP/wycheproof: Ed25519 and ECDSA over secp256k1."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from conformance.case import Cases, LeftOut, expect, is_object, nothing
from conformance.files import json_in
from conformance.vectors.zip215 import implementations
from pyibc.core.crypto import ed25519, secp256k1

_ONLY_ZIP215 = "01" + 30 * "00" + "80" + "c803ee1f2342aa96ff698a393d1ab5e66f3eda101d6d120b394c3fd32c117d0a"
"""An Ed25519 signature that only ZIP-215 accepts: R is a non-canonical y = 1 with the sign bit set."""

_Json = dict[str, Any]


def cases_of(path: Path) -> Cases | None:
    """Return the cases of a Wycheproof file of Ed25519 or ECDSA signatures; None for any other file."""
    data = json_in(path)
    if not is_object(data, "algorithm", "schema", "testGroups"):
        return None
    runner = _RUNNERS.get((data["algorithm"], data["schema"].partition("_schema")[0]))
    if runner is None:
        return iter([("", LeftOut(f"{data['algorithm']} in this form has no use in IBC"))])
    return runner(data)


def _tests(data: _Json) -> Iterator[tuple[_Json, _Json]]:
    for group in data["testGroups"]:
        for test in group["tests"]:
            yield group, test


def _why_not(group: _Json) -> str:
    """Return why the signatures of a group are skipped, or ""."""
    curve, digest = group["publicKey"]["curve"], group["sha"]
    if (curve, digest) != ("secp256k1", "SHA-256"):
        return f"ECDSA over {curve} with {digest} signs nothing in IBC"
    return ""


def _ecdsa(cases_of_group: Callable[[_Json], Cases], data: _Json) -> Cases:
    for number, group in enumerate(data["testGroups"]):
        reason = _why_not(group)
        if reason or not group["tests"]:
            yield f"group {number}", LeftOut(reason) if reason else nothing
        else:
            yield from cases_of_group(group)


def _ed25519(data: _Json) -> Cases:
    for group, test in _tests(data):
        valid = test["result"] == "valid" or test["sig"] == _ONLY_ZIP215
        key, message, signature = (
            bytes.fromhex(part) for part in (group["publicKey"]["pk"], test["msg"], test["sig"])
        )
        for name, verify in implementations().items():
            yield f"{test['tcId']} {name}", partial(_compare, verify, key, message, signature, valid)


def _p1363(group: _Json) -> Cases:
    """Return r and s as 64 bytes. CometBFT refuses an s in the upper half, unlike the vectors."""
    for test in group["tests"]:
        signature = bytes.fromhex(test["sig"])
        low = int.from_bytes(signature[32:], "big") <= secp256k1.HALF_ORDER
        valid = test["result"] == "valid" and low
        yield str(test["tcId"]), partial(_compare_secp256k1, group, test, signature, valid)


def _der(group: _Json) -> Cases:
    """Return DER signatures: strict DER is converted to r and s, other encodings have no 64-byte form."""
    for test in group["tests"]:
        numbers = _strict_der(bytes.fromhex(test["sig"]))
        if numbers is None:
            yield str(test["tcId"]), partial(expect, test["result"], "invalid")
            continue
        r, s = numbers
        valid = test["result"] == "valid" and s <= secp256k1.HALF_ORDER
        signature = r.to_bytes(32, "big") + s.to_bytes(32, "big")
        yield str(test["tcId"]), partial(_compare_secp256k1, group, test, signature, valid)


def _strict_der(data: bytes) -> tuple[int, int] | None:
    """Return r and s of a canonical DER signature whose integers fit 32 bytes."""
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


_RUNNERS: dict[tuple[str, str], Callable[[_Json], Cases]] = {
    ("EDDSA", "eddsa_verify"): _ed25519,
    ("ECDSA", "ecdsa_p1363_verify"): partial(_ecdsa, _p1363),
    ("ECDSA", "ecdsa_verify"): partial(_ecdsa, _der),
    ("ECDSA", "ecdsa_bitcoin_verify"): partial(_ecdsa, _der),
}
