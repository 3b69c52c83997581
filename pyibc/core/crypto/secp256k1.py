"""ECDSA over secp256k1 for accounts and validators (crypto/secp256k1 of the Cosmos SDK and CometBFT).

Public keys are compressed points. Signatures are over SHA-256: r and s in 64 bytes, with low s. The
arithmetic is libsecp256k1's (coincurve).
"""

from hashlib import sha256

import coincurve

from pyibc.core.crypto.hashes import ripemd160
from pyibc.core.memo import MEGABYTE, ByteBoundedCache

TYPE_URL = "/cosmos.crypto.secp256k1.PubKey"
KEY_SIZE = 33
SIGNATURE_SIZE = 64
ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
"""Order of the curve's group, the upper bound of private keys, r and s."""
HALF_ORDER = ORDER // 2

POINTS: ByteBoundedCache[bytes, coincurve.PublicKey] = ByteBoundedCache(MEGABYTE)
"""Cache of decompressed public keys with which a signature verified, by compressed key."""


class PrivateKey:
    """A private key and its 33-byte compressed public key."""

    def __init__(self, scalar: bytes) -> None:
        """Create a key from a 32-byte big-endian scalar.

        Raises:
            ValueError: the scalar is zero or not below the group's order.
        """
        self._key = coincurve.PrivateKey(scalar)
        self.public_key: bytes = self._key.public_key.format()

    def sign(self, message: bytes) -> bytes:
        """Return the 64-byte signature r, s of SHA-256 of `message`: low s, deterministic (RFC 6979)."""
        return bytes(self._key.sign_recoverable(message)[:SIGNATURE_SIZE])

    def sign_digest(self, digest: bytes) -> bytes:
        """Return the 64-byte signature r, s of a 32-byte digest: low s, deterministic (RFC 6979)."""
        return bytes(self._key.sign_recoverable(digest, hasher=None)[:SIGNATURE_SIZE])


def address(public_key: bytes) -> bytes:
    """Return the 20-byte address of a compressed public key: RIPEMD-160 of its SHA-256."""
    return ripemd160(sha256(public_key).digest())


def is_public_key(raw: bytes) -> bool:
    """Return whether `raw` is a compressed public key."""
    return _point(raw) is not None


def verify(public_key: bytes, message: bytes, signature: bytes) -> bool:
    """Return whether a 64-byte signature with low s over SHA-256 of `message` verifies."""
    return verify_digest(public_key, sha256(message).digest(), signature)


def verify_digest(public_key: bytes, digest: bytes, signature: bytes) -> bool:
    """Return whether a 64-byte signature with low s over a 32-byte digest verifies."""
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
        POINTS.add(public_key, point, 500)
    return verified


def _point(raw: bytes) -> coincurve.PublicKey | None:
    if len(raw) != KEY_SIZE:
        return None
    try:
        return coincurve.PublicKey(raw)
    except ValueError:
        return None


def _der_integer(raw: bytes) -> bytes:
    """Return the DER encoding of a big-endian integer."""
    digits = raw.lstrip(b"\x00") or b"\x00"
    if digits[0] & 0x80:
        digits = b"\x00" + digits
    return bytes((2, len(digits))) + digits
