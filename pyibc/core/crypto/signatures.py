"""Verification of validators' signatures of every key type, with a cache of valid signatures.

The cache pays off because several messages bring the same header, and because blocks are executed twice.
"""

from pyibc.core.crypto import ed25519, secp256k1
from pyibc.core.memo import MEGABYTE, ByteBoundedCache

VERIFIED: ByteBoundedCache[tuple[str, bytes, bytes, bytes], bool] = ByteBoundedCache(8 * MEGABYTE)
"""Cache of valid signatures by key type, key, message and signature, about half a kilobyte each."""


def verify_signature(key_type: str, public_key: bytes, message: bytes, signature: bytes) -> bool:
    """Return whether a validator's signature verifies. The result depends only on the arguments.

    Args:
        key_type: `ed25519` or `secp256k1`; signatures of other key types do not verify.
        public_key: 32 or 33 bytes.
        message: The signed bytes.
        signature: 64 bytes.
    """
    given = (key_type, public_key, message, signature)
    if given in VERIFIED:
        return True
    if key_type == "ed25519":
        verified = ed25519.verify(public_key, message, signature)
    else:
        verified = key_type == "secp256k1" and secp256k1.verify(public_key, message, signature)
    # guard: h62-signatures-are-kept-that-do-not-verify always
    #   test_h62_signatures_that_verified_are_kept_and_no_others
    if verified:
        VERIFIED.add(given, True, 300 + len(public_key) + len(message) + len(signature))
    return verified
