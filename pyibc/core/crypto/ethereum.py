"""Ethereum's keys: Keccak-256, addresses of public keys, and recovery of signers from signatures.

Keccak-256 is from pycryptodome, the curve arithmetic from libsecp256k1 (coincurve).
"""

import coincurve
from Crypto.Hash import keccak

ADDRESS_SIZE = 20
SIGNATURE_SIZE = 65
"""Size of r and s, 32 bytes each, and v, the recovery id."""
_V = {27: 0, 28: 1}
"""Recovery ids by the values of v that Solidity and wallets write; other values of v are recovery ids."""


def keccak256(data: bytes) -> bytes:
    """Return the Keccak-256 digest as used by Ethereum (not SHA3-256)."""
    return keccak.new(digest_bits=256, data=data).digest()


def address(public_key: bytes) -> bytes:
    """Return the 20-byte address of a public key, compressed or not; raises ValueError if it is invalid."""
    return _address_of(coincurve.PublicKey(public_key))


def own_address(private_key: bytes) -> bytes:
    """Return the 20-byte address of a private key; raises ValueError if it is invalid."""
    return _address_of(coincurve.PrivateKey(private_key).public_key)


def recover(digest: bytes, signature: bytes) -> bytes | None:
    """Return the signer's address of a 32-byte digest, as go-ethereum's `SigToPub`; None if there is none.

    Args:
        digest: The signed digest.
        signature: 65 bytes, with v 0 to 3, 27 or 28. Low and high s are accepted, each with its v.
    """
    # guard: h167-signatures-of-any-length test_what_is_no_signature
    if len(signature) != SIGNATURE_SIZE:
        return None
    v = signature[-1]
    try:
        key = coincurve.PublicKey.from_signature_and_message(
            signature[:-1] + bytes((_V.get(v, v),)), digest, hasher=None
        )
    except ValueError:
        return None
    return _address_of(key)


def sign(private_key: bytes, digest: bytes) -> bytes:
    """Return a 65-byte signature r, s, v (0 or 1) of a 32-byte digest: low s, deterministic (RFC 6979)."""
    return bytes(coincurve.PrivateKey(private_key).sign_recoverable(digest, hasher=None))


def _address_of(key: coincurve.PublicKey) -> bytes:
    return keccak256(key.format(compressed=False)[1:])[-ADDRESS_SIZE:]
