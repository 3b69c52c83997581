"""Block reading in another process, such as a Spark executor: arguments and results are plain values."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from itertools import chain
from typing import Any

from pyibc.core.host.block import CommittedBlock
from pyibc.relayer.blocks.nodes import Accept, BlockNodes, Connect, by_http
from pyibc.relayer.errors import EndpointRefused
from pyibc.relayer.rpc.blocks import FetchedBlock

BLOCK, REFUSED, NODE_TEXT = "block", "refused", "node"
"""Tags of an item, its first element. The rest: hash, parent hash (as in `FetchedBlock`) and encoded block;
the fields of the `EndpointRefused` for a height that no node has; a text about a node."""

Item = tuple[Any, ...]  # of texts and bytes
Encode = Callable[[CommittedBlock], bytes]


def fetch_ranges(
    urls: Sequence[str],
    chain_id: str,
    ranges: Sequence[tuple[int, int]],
    workers: int,
    size: int,
    *,
    encode: Encode,
    connect: Connect = by_http,
) -> Iterator[Item]:
    """Fetch blocks; yield one item per height, in order, preceded by items with texts about nodes.

    Args:
        urls: URLs of nodes of one chain; their blocks are compared with those of the first.
        chain_id: the chain id.
        ranges: first and last height of each range.
        workers: the number of concurrent calls.
        size: stop after so many bytes of blocks and refusals, but not before the first height.
        encode: encodes a block.
        connect: creates the client of a URL.

    Raises:
        EndpointUnavailable, MalformedAnswer: no node gives a usable response for the next height.
        EndpointRefused: all nodes are of another chain.
        IbcError: `encode` failed.
    """
    texts = list[str]()
    heights = chain.from_iterable(range(first, last + 1) for first, last in ranges)
    source = BlockNodes(urls, connect, accept=_of(chain_id), report=texts.append, workers=workers)
    with closing(source) as nodes:
        nodes.refresh()
        with closing(nodes.fetch(heights)) as fetched:
            for found in fetched:
                yield from ((NODE_TEXT, text) for text in texts)
                texts.clear()
                item = _item(found, encode)
                yield item
                size -= len(item[-1])
                if size <= 0:
                    return


def _of(chain_id: str) -> Accept:
    return lambda blocks, _: "" if blocks.chain_id == chain_id else f"it is a node of {blocks.chain_id}"


def _item(found: FetchedBlock | EndpointRefused, encode: Encode) -> Item:
    if isinstance(found, EndpointRefused):
        return REFUSED, found.chain_id, found.query, found.reason
    return BLOCK, found.hash, found.parent, encode(found.block)
