"""ECDSA over secp256k1, for accounts and validators (Cosmos SDK and CometBFT crypto/secp256k1).

Public keys are compressed points; signatures are over SHA-256, r and s in 64 bytes, s in the lower half.
libsecp256k1 does the arithmetic, by coincurve.
"""

from hashlib import sha256

import coincurve

from ibc_core.crypto.hashes import ripemd160
from ibc_core.kept import MEGABYTE, Kept

TYPE_URL = "/cosmos.crypto.secp256k1.PubKey"
KEY_SIZE = 33
SIGNATURE_SIZE = 64
ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
"""How many points the curve's group has; private keys and r and s are below it."""
HALF_ORDER = ORDER // 2

POINTS: Kept[bytes, coincurve.PublicKey] = Kept(MEGABYTE)
"""Public keys, decompressed, that a signature verified by: the accounts that send."""


class PrivateKey:
    """A private key, and its public key: 33 bytes."""

    def __init__(self, scalar: bytes) -> None:
        """Takes a 32-byte big-endian scalar.

        Raises:
            ValueError: the scalar is zero or not below the group's order.
        """
        self._key = coincurve.PrivateKey(scalar)
        self.public_key: bytes = self._key.public_key.format()

    def sign(self, message: bytes) -> bytes:
        """64 bytes r and s over SHA-256 of `message`, s in the lower half, deterministic (RFC 6979)."""
        return bytes(self._key.sign_recoverable(message)[:SIGNATURE_SIZE])

    def sign_digest(self, digest: bytes) -> bytes:
        """64 bytes r and s over the 32-byte `digest`, s in the lower half, deterministic (RFC 6979)."""
        return bytes(self._key.sign_recoverable(digest, hasher=None)[:SIGNATURE_SIZE])


def address(public_key: bytes) -> bytes:
    """The 20-byte address of a compressed public key: RIPEMD-160 of its SHA-256."""
    return ripemd160(sha256(public_key).digest())


def is_public_key(raw: bytes) -> bool:
    """Whether `raw` is a compressed point of the curve."""
    return _point(raw) is not None


def verify(public_key: bytes, message: bytes, signature: bytes) -> bool:
    """Whether `signature` (64 bytes, low s) over SHA-256 of `message` is by `public_key` (33 bytes)."""
    return verify_digest(public_key, sha256(message).digest(), signature)


def verify_digest(public_key: bytes, digest: bytes, signature: bytes) -> bool:
    """Whether `signature` (64 bytes, low s) over the 32-byte `digest` is by `public_key` (33 bytes)."""
    if len(signature) != SIGNATURE_SIZE:
        return False
    known = POINTS.get(public_key)
    point = known or _point(public_key)
    if point is None:
        return False
    body = _der_integer(signature[:32]) + _der_integer(signature[32:])
    try:
        verified = bool(point.verify(bytes((0x30, len(body))) + body, digest, hasher=None))
    except ValueError:
        return False
    if verified and known is None:
        POINTS.keep(public_key, point, 500)
    return verified


def _point(raw: bytes) -> coincurve.PublicKey | None:
    if len(raw) != KEY_SIZE:
        return None
    try:
        return coincurve.PublicKey(raw)
    except ValueError:
        return None


def _der_integer(raw: bytes) -> bytes:
    """A DER integer of a big-endian number."""
    digits = raw.lstrip(b"\x00") or b"\x00"
    if digits[0] & 0x80:
        digits = b"\x00" + digits
    return bytes((2, len(digits))) + digits
