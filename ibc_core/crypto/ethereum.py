"""Keys as Ethereum has them: Keccak-256, addresses of public keys, and signers recovered from signatures.

pycryptodome hashes, libsecp256k1 does the arithmetic, by coincurve.
"""

import coincurve
from Crypto.Hash import keccak

ADDRESS_SIZE = 20
SIGNATURE_SIZE = 65
"""r and s, 32 bytes each, and v: which of the points that fit is the signer's key."""
_V = {27: 0, 28: 1}
"""What Solidity and wallets write for v; others stand for themselves."""


def keccak256(data: bytes) -> bytes:
    """Keccak-256 as Ethereum has it (not SHA3-256)."""
    return keccak.new(digest_bits=256, data=data).digest()


def address(public_key: bytes) -> bytes:
    """The 20 bytes of the address of a public key, compressed or not; ValueError if it is no key."""
    return _address_of(coincurve.PublicKey(public_key))


def own_address(private_key: bytes) -> bytes:
    """The 20 bytes of the address of a private key; ValueError if it is no key."""
    return _address_of(coincurve.PrivateKey(private_key).public_key)


def recover(digest: bytes, signature: bytes) -> bytes | None:
    """The address that signed a 32-byte digest, as go-ethereum's `SigToPub` recovers it; None where none did.

    `signature`: 65 bytes, v 0 to 3, 27 or 28. Both forms of s pass, with the v that goes with each.
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
    """65 bytes r, s and v (0 or 1) over a 32-byte digest, s in the lower half, deterministic (RFC 6979)."""
    return bytes(coincurve.PrivateKey(private_key).sign_recoverable(digest, hasher=None))


def _address_of(key: coincurve.PublicKey) -> bytes:
    return keccak256(key.format(compressed=False)[1:])[-ADDRESS_SIZE:]
