"""Addresses of accounts that belong to a module, not to a key."""

from functools import lru_cache
from hashlib import sha256


@lru_cache(64)
def module_address(name: str) -> bytes:
    """The first 20 bytes of sha256(name), as the Cosmos SDK names module accounts."""
    return sha256(name.encode()).digest()[:20]
