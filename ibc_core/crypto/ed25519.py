"""Ed25519 as CometBFT verifies it (ZIP-215), by the fastest library installed.

py-ed25519-zebra-bindings has exactly these rules. libsodium accepts less, so what it refuses is verified
again in plain Python; what it accepts ZIP-215 accepts as well (the same equation without the cofactor, the
same bound on s). Every way gives the same verdict (docs/adr/0006-ed25519.md).
"""

from collections.abc import Callable
from importlib import import_module

from nacl.bindings import crypto_sign_open
from nacl.exceptions import BadSignatureError

from ibc_core.crypto import zip215

Verify = Callable[[bytes, bytes, bytes], bool]
"""(public key, message, signature) -> whether it verifies; never raises, whatever the bytes."""


def verify_by_sodium(public_key: bytes, message: bytes, signature: bytes) -> bool:
    """The verdict of libsodium if it accepts, else that of ZIP-215 in plain Python."""
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
"""None if py-ed25519-zebra-bindings is not installed."""

verify: Verify = verify_by_zebra or verify_by_sodium
