"""Parallel block reading from several nodes of one chain, each checked before it is used."""

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import closing
from itertools import chain, islice
from typing import Any, NamedTuple

from pyibc.codec.comet_json import Json
from pyibc.core.host.block import CommittedBlock
from pyibc.relayer.errors import EndpointRefused, RelayerError
from pyibc.relayer.rpc.blocks import FetchedBlock, RpcBlocks
from pyibc.relayer.rpc.calls import Rpc
from pyibc.relayer.rpc.client import HttpRpc, RpcConfig
from pyibc.relayer.rpc.http_pool import redacted_url

WORKERS = 4  # concurrent calls
_PREFETCHED = 2  # blocks per worker that are queried before they are consumed
_HTTP = RpcConfig(attempts=4, max_answer=256 << 20)  # every block must be read, however large

Connect = Callable[[str], Rpc]
Accept = Callable[[RpcBlocks, range], str]
"""Check of a node by its blocks and available heights; returns the reason for refusal, "" to accept."""


def by_http(url: str) -> Rpc:
    """Create an HTTP client with fewer attempts than the default, since other nodes can be tried.

    Raises:
        ValueError: `url` is not an HTTP URL.
    """
    return HttpRpc(url, _HTTP)


class _Node(NamedTuple):
    url: str
    blocks: RpcBlocks
    available: range


class _Pending(NamedTuple):
    """Pending calls for a height: `block` and `block_results`."""

    height: int
    node: _Node | None = None
    block: Future[Json] | None = None
    results: Future[Json] | None = None


class BlockNodes:
    """Nodes of one chain as a source of blocks; a call that fails on one node is made on another.

    Args:
        urls: URLs of the nodes.
        connect: creates the client of a URL.
        accept: check of a node in addition to chain id and block hashes.
        report: called with a text for each node that is refused, goes down, or comes back.
        workers: the number of concurrent calls.
        pool: executor of the calls; None: a thread pool of `workers` threads.
    """

    def __init__(
        self,
        urls: Sequence[str],
        connect: Connect,
        *,
        accept: Accept = lambda *_: "",
        report: Callable[[str], None] = lambda _: None,
        workers: int = WORKERS,
        pool: Executor | None = None,
    ) -> None:
        self._rpcs = {url: connect(url) for url in urls}
        self._accept, self._report = accept, report
        self._in_use = dict[str, _Node]()
        self._down = dict[str, RelayerError]()
        self._refused = dict[str, str]()
        self._pool = pool or ThreadPoolExecutor(workers, thread_name_prefix="blocks")
        self._prefetched = workers * _PREFETCHED

    @property
    def available(self) -> list[range]:
        """Available heights, one range per node in use."""
        return [node.available for node in self._in_use.values()]

    @property
    def serving(self) -> list[str]:
        """URLs of the nodes in use, that is neither refused nor down."""
        return list(self._in_use)

    @property
    def chain_id(self) -> str:
        """Chain id; "" if no node is in use."""
        return next((node.blocks.chain_id for node in self._in_use.values()), "")

    def refresh(self) -> None:
        """Query the available heights of all nodes, also of those that are down, but not of those refused.

        Raises:
            EndpointUnavailable, MalformedAnswer: no node is in use; the error of the first one that is down.
            EndpointRefused: all nodes are refused.
        """
        for url, rpc in self._rpcs.items():
            if url not in self._refused:
                try:
                    self._refresh_node(url, rpc)
                except RelayerError as error:
                    self._mark_down(url, error)
        if not self._in_use:
            if self._down:
                raise next(iter(self._down.values()))
            url, reason = next(iter(self._refused.items()))
            raise EndpointRefused(redacted_url(url), "status", reason)

    def fetch(self, heights: Iterable[int]) -> Generator[FetchedBlock | EndpointRefused, None, None]:
        """Yield the blocks at `heights` in order, or the refusal if no node has the block.

        Raises:
            EndpointUnavailable, MalformedAnswer: no node gives a usable response for the next height.
        """
        wanted = iter(heights)
        under_way = deque(self._submit(height) for height in islice(wanted, self._prefetched))
        try:
            while under_way:
                pending = under_way.popleft()
                under_way.extend(self._submit(height) for height in islice(wanted, 1))
                yield self._collect(pending)
        finally:
            for pending in under_way:
                for question in (pending.block, pending.results):
                    if question is not None:
                        question.cancel()

    def require(self, height: int) -> FetchedBlock:
        """Fetch a block from the first node in use. Raises as `RpcBlocks.fetch`."""
        return next(iter(self._in_use.values())).blocks.fetch(height)

    def close(self) -> None:
        """Cancel the pending calls and close all connections."""
        self._pool.shutdown(cancel_futures=True)
        for rpc in self._rpcs.values():
            rpc.close()

    def _refresh_node(self, url: str, rpc: Rpc) -> None:
        known = self._in_use.get(url)
        blocks = known.blocks if known is not None else RpcBlocks(rpc)
        available = blocks.available_heights()
        reason = "" if known is not None else self._refusal(blocks, available)
        if reason:
            self._refused[url] = reason
            self._down.pop(url, None)
            self._report(f"{redacted_url(url)} is refused: {reason}")
            return
        self._in_use[url] = _Node(url, blocks, available)
        if self._down.pop(url, None) is not None:
            self._report(f"{redacted_url(url)} answers again")

    def _refusal(self, blocks: RpcBlocks, available: range) -> str:
        for other in self._in_use.values():
            if other.blocks.chain_id != blocks.chain_id:
                return f"it is of {blocks.chain_id}, {redacted_url(other.url)} of {other.blocks.chain_id}"
            height = min(available.stop, other.available.stop) - 1
            if height in available and height in other.available:
                one, two = blocks.fetch(height).hash, other.blocks.fetch(height).hash
                # guard: h94-a-node-s-block-hash-is-not-compared drop
                #   test_h94_a_node_of_another_chain_is_refused_and_named
                if one != two:
                    return f"its block {height} is {one}, that of {redacted_url(other.url)} {two}"
        return self._accept(blocks, available)

    def _mark_down(self, url: str, error: RelayerError) -> None:
        self._in_use.pop(url, None)
        if url not in self._down:
            self._report(f"{redacted_url(url)} does not serve: {error}")
        self._down[url] = error

    def _nodes_with(self, height: int) -> list[_Node]:
        return [node for node in self._in_use.values() if height in node.available]

    def _submit(self, height: int) -> _Pending:
        nodes = self._nodes_with(height)
        if not nodes:
            return _Pending(height)
        node = nodes[height % len(nodes)]
        block = self._pool.submit(node.blocks.raw_block, height)
        return _Pending(height, node, block, self._pool.submit(node.blocks.raw_results, height))

    def _collect(self, pending: _Pending) -> FetchedBlock | EndpointRefused:
        height, node, block, results = pending
        problem: RelayerError = EndpointRefused(self.chain_id, "block", f"no node has block {height}")
        if node is not None and block is not None and results is not None:
            found = self._try_read(node, lambda: node.blocks.read(height, block.result(), results.result()))
            if isinstance(found, FetchedBlock):
                return found
            problem = found
        for other in self._nodes_with(height):
            if node is None or other.url != node.url:
                found = self._try_read(other, lambda: other.blocks.fetch(height))  # noqa: B023 - called now
                if isinstance(found, FetchedBlock):
                    return found
                problem = found
        if isinstance(problem, EndpointRefused):
            return problem
        raise problem

    def _try_read(self, node: _Node, read: Callable[[], FetchedBlock]) -> FetchedBlock | RelayerError:
        """Call `read`; return its block or error. An error other than a refusal takes the node out of use."""
        try:
            return read()
        except EndpointRefused as error:
            return error
        except RelayerError as error:
            self._mark_down(node.url, error)
            return error


# -- block reading in another process, such as a Spark executor: arguments and results are plain values

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
