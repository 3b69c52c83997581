"""Blocks checked before anything in them is believed: of the chain, of the height, of the same history.

An address may lead to another chain by a mistake in a proxy, to a node that was reset, or to a liar. No
hash covers a block's events: those are held against the chain's state later (`reconcile`).
"""

from typing import NamedTuple

from ibc_core.host.block import CommittedBlock
from ibc_relayer.endpoint import ChainEndpoint
from ibc_relayer.errors import BlockMismatch


class Cursor(NamedTuple):
    """The last block that was read of a chain."""

    height: int
    app_hash: bytes = b""  # as the block stated it; empty: unknown
    hash: bytes = b""  # of its header; empty: unknown, or the chain's endpoint does not tell hashes


def cursor_at(block: CommittedBlock) -> Cursor:
    """The cursor of who has read up to `block`."""
    return Cursor(block.height, block.app_hash, block.hash)


def read_checked(endpoint: ChainEndpoint, height: int) -> CommittedBlock:
    """The chain's block of a height.

    Raises:
        BlockMismatch: the answer is of another chain or height.
        EndpointRefused: the node has no such block (yet, or any more).
        EndpointUnavailable, MalformedAnswer: no answer, or none that can be decoded.
    """
    block = endpoint.block(height)
    # guard: h121-a-block-of-any-chain test_h121_a_block_of_another_history_moves_nothing
    if (block.chain_id, block.height) != (endpoint.chain_id, height):
        raise _mismatch(endpoint, height, f"it is block {block.height} of {block.chain_id!a:.64}")
    return block


def require_parent(endpoint: ChainEndpoint, block: CommittedBlock, before: Cursor) -> None:
    """Checks that `block` follows the one at the cursor, where the endpoint tells hashes.

    Raises:
        BlockMismatch: the header before it is another.
    """
    # guard: h121-any-block-is-the-next-one test_h121_a_block_of_another_history_moves_nothing
    if before.height + 1 == block.height and before.hash and block.hash and before.hash != block.parent:
        reason = f"its parent is {block.parent.hex()}, block {before.height} was {before.hash.hex()}"
        raise _mismatch(endpoint, block.height, reason)


def is_at(block: CommittedBlock, cursor: Cursor) -> bool:
    """Whether the block is the one that was read at the cursor."""
    if cursor.hash and block.hash:
        return cursor.hash == block.hash
    return not cursor.app_hash or cursor.app_hash == block.app_hash


def _mismatch(endpoint: ChainEndpoint, height: int, reason: str) -> BlockMismatch:
    return BlockMismatch(endpoint.chain_id, f"block {height}", reason)
