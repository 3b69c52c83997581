"""Escrow accounts (ICS-20)."""

from functools import lru_cache
from hashlib import sha256


@lru_cache(4096)
def escrow_address(port_id: str, channel_id: str) -> bytes:
    """The escrow address of one channel.

    20 bytes: sha256("ics20-1" 0x00 "port/channel")[:20].
    """
    return sha256(b"ics20-1\0" + f"{port_id}/{channel_id}".encode()).digest()[:20]
