"""Blocks for somebody elsewhere, who knows the nodes: what is asked and what is answered are plain values."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from itertools import chain
from typing import Any

from ibc_core.host.block import CommittedBlock
from ibc_relayer.block_nodes import Accept, BlockNodes, Connect, by_http
from ibc_relayer.errors import EndpointRefused
from ibc_relayer.rpc_blocks import Fetched

BLOCK, REFUSED, TOLD = "block", "refused", "told"
"""What an item begins with. Behind it stand: hash and parent as `Fetched` has them, and the block as `encode`
wrote it; the fields of an `EndpointRefused`, of a height that no node has; a text about a node."""

Item = tuple[Any, ...]  # of texts and bytes
Encode = Callable[[CommittedBlock], bytes]


def bring(
    urls: Sequence[str],
    chain_id: str,
    ranges: Sequence[tuple[int, int]],
    workers: int,
    size: int,
    *,
    encode: Encode,
    connect: Connect = by_http,
) -> Iterator[Item]:
    """Fetches blocks: an item a height, in their order, and one for each thing that is to be told before it.

    Args:
        urls: of nodes that were found to be of one chain; the others are compared with the first.
        chain_id: of that chain.
        ranges: of heights: the first and the last of each.
        workers: calls under way at once.
        size: bytes of blocks and refusals, at which it ends; heights behind are not answered for. One is.
        encode: writes a block.
        connect: a client of a URL.

    Raises:
        EndpointUnavailable, MalformedAnswer: no node gives a usable answer for the next height.
        EndpointRefused: every node is of another chain by now.
        IbcError: one of `encode`.
    """
    told = list[str]()
    heights = chain.from_iterable(range(first, last + 1) for first, last in ranges)
    with closing(BlockNodes(urls, connect, accept=_of(chain_id), tell=told.append, workers=workers)) as nodes:
        nodes.refresh()
        with closing(nodes.fetch(heights)) as fetched:
            for found in fetched:
                yield from ((TOLD, text) for text in told)
                told.clear()
                item = _item(found, encode)
                yield item
                size -= len(item[-1])
                if size <= 0:
                    return


def _of(chain_id: str) -> Accept:
    return lambda blocks, _: "" if blocks.chain_id == chain_id else f"it is of {blocks.chain_id}"


def _item(found: Fetched | EndpointRefused, encode: Encode) -> Item:
    if isinstance(found, EndpointRefused):
        return REFUSED, found.chain_id, found.query, found.reason
    return BLOCK, found.hash, found.parent, encode(found.block)
