"""SHA-256, in the faster of Python's two implementations on this machine.

OpenSSL's uses the processor's SHA instructions but has a high setup cost; CPython's own is faster on
processors without them. Both give the same bytes, so a short measurement may choose.
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
