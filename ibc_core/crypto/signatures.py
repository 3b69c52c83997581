"""Signature verification for every key type, cached: headers are submitted often, blocks run twice."""

from functools import lru_cache

from ibc_core.crypto import ed25519, secp256k1

REMEMBERED = 16_384
"""Verdicts kept: about 0.5 kB each."""


@lru_cache(REMEMBERED)
def verify_signature(key_type: str, public_key: bytes, message: bytes, signature: bytes) -> bool:
    """Whether a validator's signature verifies: a pure function of its input.

    Args:
        key_type: `ed25519` or `secp256k1`; a signature by anything else does not verify.
        public_key: 32 or 33 bytes.
        message: what was signed.
        signature: 64 bytes.
    """
    if key_type == "ed25519":
        return ed25519.verify(public_key, message, signature)
    return key_type == "secp256k1" and secp256k1.verify(public_key, message, signature)
