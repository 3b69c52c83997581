"""Records of a block: one of a whole block, one per transaction of a block that is known in part.

Single transactions of one block come from several recordings, in any order. With a record for each of them,
they add up, and of two records of one transaction the better one is kept.
"""

from collections import Counter
from collections.abc import Iterator
from hashlib import blake2b
from typing import NamedTuple

import msgspec

from pyibc.indexer.blocks import Block, Tx, tx_hash_text
from pyibc.indexer.lines import content_digest


class Part(NamedTuple):
    """Record of a block, or of what is known of it."""

    tx: str  # the transaction; "": the whole block, or its own events
    number: int  # of the transaction among those of its line, from 0
    digest: str  # of results, 16 hexadecimal digits
    block: Block


def parts_of(block: Block, digest: str) -> Iterator[Part]:
    """Yield the records of a block whose results have a digest."""
    if not block.partial:
        yield Part("", 0, digest, block)
        return
    if block.block_events or not block.txs:
        own = block._replace(txs=())
        yield Part("", 0, content_digest(own), own)
    unnamed = Counter[str]()
    for number, tx in enumerate(block.txs):
        single = block._replace(txs=(tx,), block_events=())
        found = content_digest(single)
        key = tx.hash or (tx_hash_text(tx.raw) if tx.raw else "")
        if not key:  # a result without its transaction: equal ones of a block are different transactions
            unnamed[found] += 1
            key = f"?{found}-{unnamed[found]}"
        yield Part(key, number, found, single)


def rank_of(part: Part, digest: str, checksum: str) -> str:
    """Return the order of a record among those of the same block or transaction: the lowest is kept.

    A record that knows more comes before one that knows less, the time first: that of a chain's first block
    must not depend on what arrived before. Content decides between others: the digest of results and time,
    then the checksum of the line, or of the transaction where a line has several.
    """
    block = part.block
    missing = (not block.app_hash) + sum(map(_missing, block.txs))
    if block.partial:
        content = msgspec.json.encode((block.app_hash, block.txs))
        checksum = blake2b(content, digest_size=8).hexdigest()
    return f"{int(block.time_ns is None)}{missing:08x}{digest}{checksum}"


def _missing(tx: Tx) -> int:
    """Return how many of the facts that recordings may lack are not known of a transaction."""
    if tx.raw:
        return 0 if tx.hash else 1
    return 1 + (not tx.hash) + (not tx.signer) + (tx.content is None)
