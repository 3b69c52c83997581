"""ECDSA over secp256k1 as CometBFT verifies it: SHA-256, r and s in 64 bytes, s in the lower half."""

from collections.abc import Callable
from functools import lru_cache
from importlib import import_module

_HALF_ORDER = 0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0
_ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141


class Secp256k1Unavailable(RuntimeError):
    """A validator with a secp256k1 key, and no coincurve: a verdict here would part this node from others."""


def verify(public_key: bytes, message: bytes, signature: bytes) -> bool:
    """Whether `signature` is the compressed `public_key`'s on the SHA-256 of `message`.

    Raises:
        Secp256k1Unavailable: coincurve is not installed; the node must stop rather than guess.
    """
    if len(public_key) != 33 or len(signature) != 64:
        return False
    r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
    if not 0 < r < _ORDER or not 0 < s <= _HALF_ORDER:
        return False
    return _library()(public_key, message, _der(r) + _der(s))


def available() -> bool:
    """Whether the library that verifies is installed."""
    try:
        _library()
    except Secp256k1Unavailable:
        return False
    return True


def _der(number: int) -> bytes:
    data = number.to_bytes(number.bit_length() // 8 + 1, "big")
    return b"\x02" + bytes([len(data)]) + data


@lru_cache(1)
def _library() -> Callable[[bytes, bytes, bytes], bool]:
    try:
        PublicKey = import_module("coincurve").PublicKey  # noqa: N806  a class
    except ImportError:
        raise Secp256k1Unavailable("install coincurve: a validator signs with secp256k1") from None

    def check(public_key: bytes, message: bytes, integers: bytes) -> bool:
        try:
            key = PublicKey(public_key)
        except ValueError:
            return False
        return bool(key.verify(b"\x30" + bytes([len(integers)]) + integers, message))

    return check
