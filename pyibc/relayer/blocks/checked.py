"""Checks of a block before it is used: chain id, height, and parent hash.

A URL may lead to another chain because of a proxy error, to a node that was reset, or to a faulty node. No
hash covers a block's events; these are compared with the chain's state later (`links.reconcile`).
"""

from typing import NamedTuple

from pyibc.core.host.block import CommittedBlock
from pyibc.relayer.chain.endpoint import ChainEndpoint
from pyibc.relayer.errors import BlockMismatch


class Cursor(NamedTuple):
    """Position of a block reader: the last block that was read."""

    height: int
    app_hash: bytes = b""  # app hash in the results of the block; empty: unknown
    hash: bytes = b""  # header hash; empty: unknown, or not reported by the endpoint


def cursor_at(block: CommittedBlock) -> Cursor:
    """Return the cursor after reading `block`."""
    return Cursor(block.height, block.app_hash, block.hash)


def read_checked(endpoint: ChainEndpoint, height: int) -> CommittedBlock:
    """Return the block at a height, checked for chain id and height.

    Raises:
        BlockMismatch: the block is of another chain or height.
        EndpointRefused: the block does not exist yet, or is pruned.
        EndpointUnavailable, MalformedAnswer: no response, or a malformed one.
    """
    block = endpoint.block(height)
    # guard: h121-a-block-of-any-chain test_h121_a_block_of_another_history_moves_nothing
    if (block.chain_id, block.height) != (endpoint.chain_id, height):
        raise _mismatch(endpoint, height, f"it is block {block.height} of {block.chain_id!a:.64}")
    return block


def require_parent(endpoint: ChainEndpoint, block: CommittedBlock, before: Cursor) -> None:
    """Check the parent hash of `block` against the cursor, if both hashes are known.

    Raises:
        BlockMismatch: the parent hash is another.
    """
    # guard: h121-any-block-is-the-next-one test_h121_a_block_of_another_history_moves_nothing
    if before.height + 1 == block.height and before.hash and block.hash and before.hash != block.parent:
        reason = f"its parent is {block.parent.hex()}, block {before.height} was {before.hash.hex()}"
        raise _mismatch(endpoint, block.height, reason)


def matches_cursor(block: CommittedBlock, cursor: Cursor) -> bool:
    """Return whether `block` is the one at the cursor, by header hash or else by app hash."""
    if cursor.hash and block.hash:
        return cursor.hash == block.hash
    return not cursor.app_hash or cursor.app_hash == block.app_hash


def _mismatch(endpoint: ChainEndpoint, height: int, reason: str) -> BlockMismatch:
    return BlockMismatch(endpoint.chain_id, f"block {height}", reason)
