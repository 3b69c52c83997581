"""Addresses of accounts that belong to a module, not to a key."""

from functools import lru_cache
from hashlib import sha256


@lru_cache(64)
def module_address(name: str) -> bytes:
    """The first 20 bytes of sha256(name), as the Cosmos SDK names module accounts."""
    return sha256(name.encode()).digest()[:20]


def submodule_address(name: str, key: bytes) -> bytes:
    """The 32 bytes of an account of a module that has many (the SDK's `address.Module` with one key)."""
    return sha256(sha256(b"module").digest() + name.encode() + b"\0" + key).digest()


def derived_address(above: bytes, key: bytes) -> bytes:
    """The 32 bytes of an account below another (the SDK's `address.Derive`)."""
    return sha256(sha256(above).digest() + key).digest()
