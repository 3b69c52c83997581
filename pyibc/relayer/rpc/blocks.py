"""Blocks of a CometBFT node with their events and light blocks; read-only, so without an account."""

import logging
from collections.abc import Callable, Sequence
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from pyibc.codec.comet_json import Json, read_integer, write_base64
from pyibc.codec.gotime import parse_rfc3339
from pyibc.core.comet import read_block
from pyibc.core.host.block import CommittedBlock
from pyibc.relayer.chain.caches import HeightCache, HeightWatch, PrefetchedHeaders, RecentAnswer
from pyibc.relayer.chain.values import LightBlock
from pyibc.relayer.errors import EndpointRefused, MalformedAnswer
from pyibc.relayer.rpc.calls import Call, Rpc, result_of
from pyibc.relayer.rpc.client import RpcConfig
from pyibc.relayer.rpc.reading import (
    chain_id_of,
    fetch_commit,
    light_block,
    read_answer,
    read_validators_page,
)

if TYPE_CHECKING:  # loaded by `RpcConfig` alone, which can leave them out
    from pyibc.relayer.rpc.node_queries import CompactResults

_V = TypeVar("_V")
log = logging.getLogger("pyibc.relayer")

CACHED_BLOCKS = 8
"""Blocks in the cache: the thread that awaits a transaction reads the same blocks as the relayer."""

CACHED_LIGHT_BLOCKS = 64
"""Light blocks in the cache: each client update needs the trusted one again."""


class FetchedBlock(NamedTuple):
    """Block with the hashes of its header and of the previous one."""

    block: CommittedBlock
    hash: str  # header hash, upper-case hex
    parent: str  # hash of the previous header; "" for the first block of a chain


def compact_results(config: RpcConfig) -> "CompactResults | None":
    """Return a new query of block results in protobuf for a reader of all blocks; None: by JSON alone."""
    queries = config.node_queries if config.reads_all else None
    return None if queries is None else queries.results(config.unread)


class RpcBlocks:
    """Cached reader of the blocks of one node or pool. For any thread."""

    def __init__(self, rpc: Rpc, config: RpcConfig = RpcConfig()) -> None:  # noqa: B008 - a value
        """Query the chain id; `config` gives the age of heights, event types to leave out, and the clock.

        Raises:
            EndpointUnavailable: the node does not answer.
            MalformedAnswer: the response cannot be decoded.
        """
        self._rpc = rpc
        self.chain_id = chain_id_of(rpc.call("status"))
        self._unread, self._reads_all = config.unread, config.reads_all
        self._compact = compact_results(config)
        self._is_json_logged = False  # the last protobuf query failed, and that was logged
        self._raw: HeightCache[Json] = HeightCache(CACHED_BLOCKS)
        self._blocks: HeightCache[CommittedBlock] = HeightCache(CACHED_BLOCKS)
        self._height = RecentAnswer(self._query_height, config.fresh_s, config.clock)
        self._light_blocks: HeightCache[LightBlock] = HeightCache(CACHED_LIGHT_BLOCKS)
        self._prefetched = PrefetchedHeaders(self._cache_prefetched)
        self.watch = HeightWatch(
            self.last_height, config.clock, config.sleep, lambda: self._prefetched.highest
        )
        """Watch of the height of the last executed block."""
        self._lock = Lock()
        self.highest = 0
        """Highest block read since the last `forget`; 0: none."""

    def last_height(self) -> int:
        """Return the height of the last executed block.

        Raises:
            EndpointUnavailable, MalformedAnswer: as in the constructor.
        """
        return self._height.get()

    def _query_height(self) -> int:
        info = self._query_info()
        height = self._decode("abci_info", lambda: read_integer(info["response"].get("last_block_height")))
        self.watch.record(height)
        return height

    def _query_info(self) -> Json:
        """Call `abci_info`; prefetch the next light block by the same request if light blocks are in use."""
        due = self.watch.highest + 1
        more = self._prefetched.calls(due)
        if not more:
            return self._rpc.call("abci_info")
        info, *headers = self._rpc.call_many([Call("abci_info", {}), *more])
        self._prefetched.store(due, headers)
        return result_of(info)

    def available_heights(self) -> range:
        """Return the available heights: from the earliest block of the node to the last executed one.

        Raises:
            EndpointUnavailable, MalformedAnswer: as in the constructor.
        """
        sync = self._rpc.call("status")
        first = self._decode("status", lambda: read_integer(sync["sync_info"]["earliest_block_height"]))
        return range(first, self.last_height() + 1)

    def raw(self, height: int) -> Json:
        """Return the result of `block`, cached.

        Raises:
            EndpointRefused: the block does not exist yet, or is pruned.
            EndpointUnavailable, MalformedAnswer: as in the constructor.
        """
        return self._raw.get(height, self._query_block)

    def raw_block(self, height: int) -> Json:
        """Call `block`, without the cache. Raises as `raw`."""
        return self._rpc.call("block", height=str(height))

    def raw_results(self, height: int) -> Json:
        """Call `block_results`, without a cache. Raises as `raw`."""
        return self._rpc.call("block_results", height=str(height))

    def block(self, height: int) -> CommittedBlock:
        """Return the block at a height with its events, cached until `forget`. Raises as `raw`."""
        block = self._blocks.get(height, self._query_results)
        with self._lock:  # a thread that read a lower block must not overwrite it
            self.highest = max(self.highest, height)
        return block

    @property
    def signed_height(self) -> int:
        """Height of the last prefetched light block, which may not be executed yet; 0: none."""
        return self._prefetched.highest

    def light_block(self, height: int) -> LightBlock:
        """Return the light block at a height, cached until `forget`. Raises as `raw`."""
        # guard: any-height-is-wanted swap test_a_height_that_no_chain_has_keeps_nobody_from_asking
        found = self._light_blocks.get(height, self._query_light_block)
        self._prefetched.record_use(height)
        return found

    def is_cached(self, height: int) -> bool:
        """Return whether the block is in the cache of `block`."""
        return height in self._blocks

    def time_ns(self, height: int) -> int:
        """Return the time of a block, Unix nanoseconds. Raises as `raw`."""
        if self._reads_all:
            return self.block(height).time_ns
        raw = self.raw(height)
        return self._decode("block", lambda: parse_rfc3339(raw["block"]["header"]["time"]))

    def block_with_tx(self, height: int, tx: bytes) -> CommittedBlock | None:
        """Return the block if it includes the transaction `tx`. Raises as `raw`."""
        if not self._reads_all:
            raw, text = self.raw(height), write_base64(tx)
            txs = self._decode("block", lambda: raw["block"]["data"]["txs"] or ())
            if text not in txs:
                return None
        block = self.block(height)
        return block if any(each.tx == tx for each in block.txs) else None

    def forget(self) -> None:
        """Clear all caches."""
        self.highest = 0
        self._prefetched.forget()
        # guard: headers-are-kept-whatever-was-wrong drop
        #   test_headers_that_a_node_told_are_asked_for_again_once_something_was_wrong
        self._light_blocks.forget()
        self._raw.forget()
        self._blocks.forget()

    def fetch(self, height: int) -> FetchedBlock:
        """Fetch a block with its header hashes, without the cache. Raises as `raw`."""
        return self.read(height, self.raw_block(height), self.raw_results(height))

    def read(self, height: int, raw: Json, results: Json) -> FetchedBlock:
        """Decode the results of `block` and `block_results` for `height`.

        Raises:
            MalformedAnswer: they cannot be decoded, or belong to another chain or height.
        """
        return self._decode(f"block {height}", lambda: self._read(height, raw, results))

    def _query_light_block(self, height: int) -> LightBlock:
        commit, members = fetch_commit(self._rpc, self.chain_id, height)
        return self._decode("commit", lambda: self._light_block(height, commit, members))

    def _cache_prefetched(self, height: int, commit: Json, validators: Json) -> bool:
        """Cache a prefetched light block; False: the validators fill several pages, so it is incomplete.

        Raises:
            MalformedAnswer: it is not the light block of this chain and height.
        """
        members, total = self._decode("validators", lambda: read_validators_page(validators))
        # guard: the-first-of-several-pages-is-taken-for-all drop
        #   test_what_is_no_header_is_left_to_whoever_asks_for_it
        if len(members) < total:
            return False
        block = self._decode("commit", lambda: self._light_block(height, commit, members))
        self._light_blocks.put(height, block)
        return True

    def _light_block(self, height: int, commit: Json, members: Sequence[Json]) -> LightBlock:
        block = light_block(commit, members)
        # guard: a-header-of-another-height-is-kept test_a_header_of_another_height_is_not_kept
        #   test_a_header_of_another_chain_or_height_is_refused
        self._require(height, commit["signed_header"]["header"]["chain_id"], block.height)
        return block

    def _query_results(self, height: int) -> CommittedBlock:
        compact, found = self._compact, None
        if compact is not None and compact.should_query(height):
            found = self._query_protobuf(compact, height)
        return self._query_json(height) if found is None else found

    def _query_protobuf(self, compact: "CompactResults", height: int) -> CommittedBlock | None:
        """Query header and protobuf results in one batch; None: the node does not serve them."""
        questions = [Call("header", {"height": str(height)}), compact.call(height)]
        header, outcome = self._rpc.call_many(questions)

        def read() -> CommittedBlock | None:
            results = compact.decode(height, outcome)
            if results is None or isinstance(header, EndpointRefused):
                return None
            block = compact.block(result_of(header), results)
            # guard: headers-of-another-block test_a_header_of_another_block_is_refused
            self._require(height, block.chain_id, block.height)
            return block

        try:
            block = self._decode(questions[1].params["path"], read)
        except MalformedAnswer:
            # guard: h241-a-form-that-is-broken-is-asked-for-again drop
            #   test_h241_a_single_node_is_asked_in_json_then
            self._fall_back(compact, height)
            raise
        # guard: where-a-header-is-refused-both-are-asked-for-with-every-block drop
        #   test_where_a_header_is_refused_both_are_not_asked_for_with_every_block
        if block is None:
            self._fall_back(compact, height)
        else:
            self._is_json_logged = False
        return block

    def _fall_back(self, compact: "CompactResults", height: int) -> None:
        """Use JSON for some blocks; log it once until protobuf works again."""
        compact.back_off(height)
        if not self._is_json_logged:
            log.info("block results are queried in JSON", extra={"chain": self.chain_id, "from": height})
        self._is_json_logged = True

    def _query_json(self, height: int) -> CommittedBlock:
        """Query block and JSON results, in one batch if the block is not cached."""
        if height in self._raw:
            raw, results = self.raw(height), self.raw_results(height)
        else:
            params = {"height": str(height)}
            found, outcome = self._rpc.call_many([Call("block", params), Call("block_results", params)])
            raw = self._raw.get(height, lambda _: self._require_block(height, result_of(found)))
            results = result_of(outcome)
        return self._decode(f"block {height}", lambda: self._block(height, raw, results))

    def _query_block(self, height: int) -> Json:
        return self._require_block(height, self.raw_block(height))

    def _require_block(self, height: int, raw: Json) -> Json:
        """Return `raw` if it is the block of this chain and height, so that no other is cached."""

        def read() -> Json:
            header = raw["block"]["header"]
            self._require(height, header["chain_id"], read_integer(header["height"]))
            return raw

        return self._decode(f"block {height}", read)

    def _require(self, height: int, chain_id: str, found_height: int) -> None:
        """Raise ValueError unless chain id and height are the expected ones."""
        if (chain_id, found_height) != (self.chain_id, height):
            raise ValueError(f"it is for {chain_id!a:.64} height {found_height}")

    def _decode(self, query: str, reader: Callable[[], _V]) -> _V:
        return read_answer(self.chain_id, query, reader, self._rpc.report_malformed)

    def _block(self, height: int, raw: Json, results: Json) -> CommittedBlock:
        block = read_block(raw, results, without=self._unread)
        # guard: h94-an-answer-of-another-height-is-believed test_h94_an_answer_of_another_block_is_refused
        #   test_h94_results_of_another_height_are_refused
        self._require(height, block.chain_id, block.height)
        results_height = read_integer(results.get("height"))
        # guard: h94-an-answer-of-another-height-is-believed drop
        if results_height != height:
            raise ValueError(f"the results are for height {results_height}")
        return block

    def _read(self, height: int, raw: Json, results: Json) -> FetchedBlock:
        block = self._block(height, raw, results)
        before = raw["block"]["header"].get("last_block_id") or {}
        return FetchedBlock(block, _hash(raw["block_id"]), _hash(before))


def _hash(block_id: Json) -> str:
    found = block_id.get("hash") or ""
    if not isinstance(found, str):
        raise TypeError(f"not a hash: {found!a:.64}")
    return found.upper()
