"""SHA-256 and varints, the two encodings that hashing a node needs, chosen and tabled for speed.

OpenSSL's SHA-256 uses the processor's SHA instructions but has a high setup cost; CPython's own is faster on
processors without them. Both give the same bytes, so a short measurement may choose. IAVL writes height, size
and version of a node as Go's `binary.PutVarint` (zig-zag) and lengths as `PutUvarint`. Encoding them in
Python each time costs more than hashing them, hence the tables for small numbers.
"""

import hashlib
from collections.abc import Callable
from importlib import import_module
from time import perf_counter  # noqa: TID251 - chooses between equal functions, never enters a result
from typing import Protocol


class Digest(Protocol):
    """A computed hash."""

    def digest(self) -> bytes:
        """Return the hash, 32 bytes."""


Sha256 = Callable[[bytes], Digest]

_SAMPLE = bytes(110)  # an inner node's preimage is about this long
_ROUNDS, _CALLS = 5, 20


def builtin_sha256() -> Sha256 | None:
    """Return CPython's own implementation, or None if this interpreter has none."""
    for module in ("_sha2", "_sha256"):  # 3.12 and newer; 3.11
        try:
            found: Sha256 = import_module(module).sha256
        except (ImportError, AttributeError):
            continue
        if found(b"").digest() == hashlib.sha256(b"").digest():
            return found
    return None


def _cost(function: Sha256) -> float:
    best = float("inf")
    for _ in range(_ROUNDS):
        start = perf_counter()
        for _ in range(_CALLS):
            function(_SAMPLE).digest()
        best = min(best, perf_counter() - start)
    return best


def faster_sha256() -> Sha256:
    """Return the faster implementation, measured now (about 100 microseconds)."""
    builtin = builtin_sha256()
    if builtin is None or _cost(hashlib.sha256) <= _cost(builtin):
        return hashlib.sha256
    return builtin


sha256: Sha256 = faster_sha256()

EMPTY_HASH = sha256(b"").digest()
"""Root hash of an empty tree, and app hash of a multistore without stores."""


_TABLE = 8192
_SPLIT = _TABLE << 14
"""Limit below which a number from 2^14 is encoded as two precomputed parts."""


def encode_uvarint(number: int) -> bytes:
    """Encode `number` (0 or more) in base 128, least significant group first."""
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


_LOW = tuple(bytes((low & 0x7F | 0x80, low >> 7 | 0x80)) for low in range(1 << 14))
"""Encodings of the two least significant groups of a longer number."""
UVARINT: tuple[bytes, ...] = tuple(map(encode_uvarint, range(_TABLE)))
VARINT: tuple[bytes, ...] = tuple(encode_uvarint(number << 1) for number in range(_TABLE))


def uvarint(number: int) -> bytes:
    """Encode an unsigned varint."""
    if number < _TABLE:
        return UVARINT[number]
    if 1 << 14 <= number < _SPLIT:
        return _LOW[number & 0x3FFF] + UVARINT[number >> 14]
    return encode_uvarint(number)


def varint(number: int) -> bytes:
    """Encode a non-negative number as a signed (zig-zag) varint."""
    return VARINT[number] if number < _TABLE else uvarint(number << 1)


def decode_uvarint(data: bytes, at: int) -> tuple[int, int]:
    """Decode the unsigned varint in `data` at offset `at`; return it and the offset after it.

    Raises:
        ValueError: `data` ends within the varint, or it is longer than ten bytes.
    """
    number = 0
    for shift in range(0, 70, 7):
        if at >= len(data):
            break
        byte = data[at]
        at += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, at
    raise ValueError("varint is truncated or too long")
