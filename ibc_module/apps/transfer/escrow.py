"""Escrow accounts (ICS-20)."""

from functools import lru_cache
from hashlib import sha256


@lru_cache(4096)
def escrow_address(port_id: str, channel_id: str) -> bytes:
    """The escrow address of one channel.

    20 bytes: sha256("ics20-1" 0x00 "port/channel")[:20].
    """
    # guard: h40-one-escrow-for-all-channels {f'{port_id}/{channel_id}' => f'{port_id}'}
    #   test_h40_a_hostile_chain_cannot_move_another_channels_escrow
    #   test_h40_a_client_takes_out_no_more_than_came_in_through_it
    return sha256(b"ics20-1\0" + f"{port_id}/{channel_id}".encode()).digest()[:20]
