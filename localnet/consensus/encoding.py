"""Block encoding, and the block id that commits sign (CometBFT `types/block.go`, `types/part_set.go`)."""

from collections.abc import Sequence

from ibc_core.wire.encoding import encode
from ibc_proto.tendermint.types.block_pb2 import Block as PbBlock
from light_client.tendermint.codec import commit_to, header_to
from light_client.tendermint.merkle import merkle_root
from light_client.tendermint.types import BlockId, Commit, Header

PART_SIZE = 65_536
"""Bytes of a block part, CometBFT's BlockPartSizeBytes."""


def encode_block(header: Header, txs: Sequence[bytes], last_commit: Commit) -> bytes:
    """Encodes a `tendermint.types.Block` without evidence."""
    block = PbBlock(header=header_to(header), last_commit=commit_to(last_commit))
    block.data.txs.extend(txs)
    return encode(block)


def block_id(header_digest: bytes, block: bytes) -> BlockId:
    """The block id: header hash, and the count and Merkle root of the block's parts."""
    parts = [block[at : at + PART_SIZE] for at in range(0, len(block), PART_SIZE)]
    return BlockId(header_digest, len(parts), merkle_root(parts))
