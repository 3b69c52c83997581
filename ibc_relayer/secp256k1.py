"""secp256k1 keys of accounts: addresses, compact signatures, verification (libsecp256k1 by coincurve)."""

from functools import lru_cache
from hashlib import sha256

from coincurve import PrivateKey, PublicKey

from ibc_core.crypto.ripemd160 import ripemd160

TYPE_URL = "/cosmos.crypto.secp256k1.PubKey"
KEY_SIZE = 33
_SIGNATURE_SIZE = 64


@lru_cache(16_384)
def account_address(public_key: bytes) -> bytes:
    """The 20-byte address of a compressed public key: RIPEMD-160 of its SHA-256.

    Remembered: every transaction of an account asks again, and plain Python takes a quarter of a
    millisecond.
    """
    return ripemd160(sha256(public_key).digest())


def sign(key: PrivateKey, data: bytes) -> bytes:
    """64 bytes r and s over SHA-256 of `data`, s in the lower half, deterministic (RFC 6979)."""
    return key.sign_recoverable(data)[:_SIGNATURE_SIZE]


@lru_cache(1024)
def _public_key(raw: bytes) -> PublicKey | None:
    if len(raw) != KEY_SIZE:
        return None
    try:
        return PublicKey(raw)
    except ValueError:
        return None


def is_public_key(raw: bytes) -> bool:
    """Whether `raw` is a compressed point of the curve."""
    return _public_key(raw) is not None


def _integer(raw: bytes) -> bytes:
    """A DER integer of a big-endian number."""
    digits = raw.lstrip(b"\x00") or b"\x00"
    if digits[0] & 0x80:
        digits = b"\x00" + digits
    return bytes((2, len(digits))) + digits


def verify(public_key: bytes, digest: bytes, signature: bytes) -> bool:
    """Whether `signature` (64 bytes, low s) over the 32-byte `digest` is by `public_key` (33 bytes)."""
    key = _public_key(public_key)
    if key is None or len(signature) != _SIGNATURE_SIZE:
        return False
    body = _integer(signature[:32]) + _integer(signature[32:])
    try:
        return key.verify(bytes((0x30, len(body))) + body, digest, hasher=None)
    except ValueError:
        return False
