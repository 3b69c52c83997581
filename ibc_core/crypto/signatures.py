"""Signature verification for every key type; what verified is kept: headers come often, blocks run twice."""

from ibc_core.crypto import ed25519, secp256k1
from ibc_core.kept import MEGABYTE, Kept

VERIFIED: Kept[tuple[str, bytes, bytes, bytes], bool] = Kept(8 * MEGABYTE)
"""Signatures that verified, with all that they depend on; a validator's takes half a kilobyte."""


def verify_signature(key_type: str, public_key: bytes, message: bytes, signature: bytes) -> bool:
    """Whether a validator's signature verifies: a pure function of its input.

    Args:
        key_type: `ed25519` or `secp256k1`; a signature by anything else does not verify.
        public_key: 32 or 33 bytes.
        message: what was signed.
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
        VERIFIED.keep(given, True, 300 + len(public_key) + len(message) + len(signature))
    return verified
