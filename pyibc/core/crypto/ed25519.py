"""Ed25519 verification by ZIP-215, as in CometBFT, with the fastest installed library.

py-ed25519-zebra-bindings implements exactly these rules. libsodium is stricter: it checks the same equation
without the cofactor and the same bound on s, so every signature that it accepts is valid by ZIP-215, and
those that it rejects are verified again in plain Python. All paths give the same verdict
(docs/adr/0006-ed25519.md).
"""

from collections.abc import Callable
from importlib import import_module

from nacl.bindings import crypto_sign_open
from nacl.exceptions import BadSignatureError

from pyibc.core.crypto import zip215

Verify = Callable[[bytes, bytes, bytes], bool]
"""(public key, message, signature) -> whether the signature verifies; never raises."""


def verify_by_sodium(public_key: bytes, message: bytes, signature: bytes) -> bool:
    """Verify with libsodium and, if it rejects, with ZIP-215 in plain Python."""
    if len(public_key) != 32 or len(signature) != 64:
        return False
    try:
        crypto_sign_open(signature + message, public_key)
    except BadSignatureError:
        return zip215.verify(public_key, message, signature)
    return True


def _zebra() -> Verify | None:
    try:
        ed_verify = import_module("ed25519_zebra").ed_verify
    except ImportError:
        return None

    def verify_by_zebra(public_key: bytes, message: bytes, signature: bytes) -> bool:
        if len(public_key) != 32 or len(signature) != 64:
            return False
        return bool(ed_verify(signature, message, public_key))

    return verify_by_zebra


verify_by_zebra: Verify | None = _zebra()
"""Verification by py-ed25519-zebra-bindings; None if it is not installed."""

verify: Verify = verify_by_zebra or verify_by_sodium
