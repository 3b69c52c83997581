"""The blocks that a CometBFT node keeps, with their events; needs no account."""

import logging
from collections.abc import Callable, Sequence
from threading import Lock
from typing import NamedTuple, TypeVar

from ibc_core.comet_json.fields import Json, read_integer, write_base64
from ibc_core.comet_json.results import read_block
from ibc_core.host.block import CommittedBlock
from ibc_core.wire.gotime import parse_rfc3339
from ibc_relayer.compact_results import BLOCK_RESULTS, CompactResults
from ibc_relayer.endpoint import LightBlock
from ibc_relayer.errors import EndpointRefused, MalformedAnswer
from ibc_relayer.height_cache import HeightCache
from ibc_relayer.height_watch import HeightWatch
from ibc_relayer.light_ahead import LightAhead
from ibc_relayer.recent_answer import RecentAnswer
from ibc_relayer.rpc_calls import Call, Rpc, call_many, result_of
from ibc_relayer.rpc_client import RpcConfig
from ibc_relayer.rpc_proven import light_block
from ibc_relayer.rpc_read import node_of, page_of, read_answer, signed_at

_V = TypeVar("_V")
log = logging.getLogger("pyibc.relayer")

KEPT = 8
"""Blocks that are not asked for again: who waits for a transaction reads those that the relayer reads."""

LIGHT_KEPT = 64
"""Headers with their commits and validators: a client's trusted one is asked for with each update."""


class Fetched(NamedTuple):
    """A block, and its place in the chain of headers."""

    block: CommittedBlock
    hash: str  # of its header, upper-case hex
    parent: str  # of the header before it; "" of a chain's first block


class RpcBlocks:
    """Blocks of one node."""

    def __init__(self, rpc: Rpc, config: RpcConfig = RpcConfig()) -> None:  # noqa: B008 - a value
        """Queries the node's chain id. Of `config` count how old a height may be and which events are unread.

        Raises:
            EndpointUnavailable: the node does not answer.
            MalformedAnswer: its answer cannot be decoded.
        """
        self._rpc = rpc
        self.chain_id, version = node_of(rpc.call("status"))
        self.encoded = version.startswith("0.34.")  # event attributes are in base64
        self._unread, self._reads_all = config.unread, config.reads_all
        self._compact = CompactResults(config.unread, asked=config.reads_all)
        self._in_vain = False  # results were last asked for in protobuf to no avail
        self._raw: HeightCache[Json] = HeightCache(KEPT)
        self._blocks: HeightCache[CommittedBlock] = HeightCache(KEPT)
        self._height = RecentAnswer(self._last_height, config.fresh_s, config.clock)
        self._light_blocks: HeightCache[LightBlock] = HeightCache(LIGHT_KEPT)
        self._ahead = LightAhead(self._keep_ahead)
        self.watch = HeightWatch(self.last_height, config.clock, config.sleep, lambda: self._ahead.known)
        """Of the last executed block."""
        self._lock = Lock()
        self.highest = 0
        """Of the blocks that were read since the last `forget`."""

    def last_height(self) -> int:
        """Height of the last executed block.

        Raises:
            EndpointUnavailable, MalformedAnswer: as above.
        """
        return self._height.get()

    def _last_height(self) -> int:
        info = self._info()
        height = self._told("abci_info", lambda: read_integer(info["response"].get("last_block_height")))
        self.watch.note(height)
        return height

    def _info(self) -> Json:
        """The answer to `abci_info`, and with it the next block's header, where headers are wanted."""
        due = self.watch.highest + 1
        more = self._ahead.questions(due)
        if not more:
            return self._rpc.call("abci_info")
        info, *headers = call_many(self._rpc, [Call("abci_info", {}), *more])
        self._ahead.take(due, headers)
        return result_of(info)

    def kept(self) -> range:
        """Heights of the available blocks: from the oldest kept to the last executed one.

        Raises:
            EndpointUnavailable, MalformedAnswer: as above.
        """
        sync = self._rpc.call("status")
        first = self._told("status", lambda: read_integer(sync["sync_info"]["earliest_block_height"]))
        return range(first, self.last_height() + 1)

    def raw(self, height: int) -> Json:
        """The node's answer to `block`.

        Raises:
            EndpointRefused: the node has no such block (yet, or any more).
            EndpointUnavailable, MalformedAnswer: as above.
        """
        return self._raw.get(height, self._own_block)

    def raw_block(self, height: int) -> Json:
        """As `raw`, always asked; may be called by several threads."""
        return self._rpc.call("block", height=str(height))

    def raw_results(self, height: int) -> Json:
        """The node's answer to `block_results`; may be called by several threads. Raises as `raw`."""
        return self._rpc.call("block_results", height=str(height))

    def block(self, height: int) -> CommittedBlock:
        """Block and events of a height; the last ones are kept until `forget`. Raises as `raw`."""
        block = self._blocks.get(height, self._own_results)
        with self._lock:  # of two threads the one that read the lower block must not have the last word
            self.highest = max(self.highest, height)
        return block

    @property
    def signed_height(self) -> int:
        """The last height whose header came with the chain's; its block may not be executed yet."""
        return self._ahead.known

    def light_block(self, height: int) -> LightBlock:
        """Header, commit, validators of a height; the last ones are kept until `forget`. Raises as `raw`."""
        # guard: any-height-is-wanted swap test_a_height_that_no_chain_has_keeps_nobody_from_asking
        found = self._light_blocks.get(height, self._own_light_block)
        self._ahead.wanted(height)
        return found

    def has(self, height: int) -> bool:
        """Whether `block` answers without asking."""
        return height in self._blocks

    def time_ns(self, height: int) -> int:
        """The time of a block, unix nanoseconds. Raises as `raw`."""
        if self._reads_all:
            return self.block(height).time_ns
        raw = self.raw(height)
        return self._told("block", lambda: parse_rfc3339(raw["block"]["header"]["time"]))

    def holding(self, height: int, tx: bytes) -> CommittedBlock | None:
        """The block, if it has that transaction. Raises as `raw`."""
        if not self._reads_all:
            raw, text = self.raw(height), write_base64(tx)
            txs = self._told("block", lambda: raw["block"]["data"]["txs"] or ())
            if text not in txs:
                return None
        block = self.block(height)
        return block if any(each.tx == tx for each in block.txs) else None

    def forget(self) -> None:
        """Drops what is kept: it is asked for again."""
        self.highest = 0
        self._ahead.forget()
        # guard: headers-are-kept-whatever-was-wrong drop
        #   test_headers_that_a_node_told_are_asked_for_again_once_something_was_wrong
        self._light_blocks.forget()
        self._raw.forget()
        self._blocks.forget()

    def fetch(self, height: int) -> Fetched:
        """A committed block with its place in the chain. Raises as `raw`."""
        return self.read(height, self.raw_block(height), self.raw_results(height))

    def read(self, height: int, raw: Json, results: Json) -> Fetched:
        """What the answers for `height` tell.

        Raises:
            MalformedAnswer: they cannot be decoded, or are of another chain or height.
        """
        return self._told(f"block {height}", lambda: self._read(height, raw, results))

    def _own_light_block(self, height: int) -> LightBlock:
        commit, members = signed_at(self._rpc, self.chain_id, height)
        return self._told("commit", lambda: self._signed(height, commit, members))

    def _keep_ahead(self, height: int, commit: Json, validators: Json) -> bool:
        """Keeps what was told of a height before anybody asked, if it is all of it.

        Raises:
            MalformedAnswer: it is no header of this chain and height.
        """
        members, total = self._told("validators", lambda: page_of(validators))
        # guard: the-first-of-several-pages-is-taken-for-all drop
        #   test_what_is_no_header_is_left_to_whoever_asks_for_it
        if len(members) < total:
            return False
        block = self._told("commit", lambda: self._signed(height, commit, members))
        self._light_blocks.put(height, block)
        return True

    def _signed(self, height: int, commit: Json, members: Sequence[Json]) -> LightBlock:
        block = light_block(commit, members)
        # guard: a-header-of-another-height-is-kept test_a_header_of_another_height_is_not_kept
        #   test_a_header_of_another_chain_or_height_is_refused
        self._require(height, commit["signed_header"]["header"]["chain_id"], block.height)
        return block

    def _own_results(self, height: int) -> CommittedBlock:
        found = self._compactly(height) if self._compact.asks(height) else None
        return self._in_json(height) if found is None else found

    def _compactly(self, height: int) -> CommittedBlock | None:
        """Header and results, asked for together; None: the node does not give them in this way."""
        questions = [Call("header", {"height": str(height)}), self._compact.question(height)]
        header, outcome = call_many(self._rpc, questions)

        def read() -> CommittedBlock | None:
            results = self._compact.told(height, outcome)
            if results is None or isinstance(header, EndpointRefused):
                return None
            block = self._compact.block(result_of(header), results)
            # guard: headers-of-another-block test_a_header_of_another_block_is_refused
            self._require(height, block.chain_id, block.height)
            return block

        try:
            block = self._told(BLOCK_RESULTS, read)
        except MalformedAnswer:
            # guard: h241-a-form-that-is-broken-is-asked-for-again drop
            #   test_h241_a_single_node_is_asked_in_json_then
            self._rest(height)
            raise
        # guard: where-a-header-is-refused-both-are-asked-for-with-every-block drop
        #   test_where_a_header_is_refused_both_are_not_asked_for_with_every_block
        if block is None:
            self._rest(height)
        else:
            self._in_vain = False
        return block

    def _rest(self, height: int) -> None:
        """Told once, until the node gives them in this way again."""
        self._compact.rest(height)
        if not self._in_vain:
            log.info("blocks are asked for in JSON", extra={"chain": self.chain_id, "from": height})
        self._in_vain = True

    def _in_json(self, height: int) -> CommittedBlock:
        """Block and results, asked for together where the block is not known."""
        if height in self._raw:
            raw, results = self.raw(height), self.raw_results(height)
        else:
            params = {"height": str(height)}
            found, outcome = call_many(self._rpc, [Call("block", params), Call("block_results", params)])
            raw = self._raw.get(height, lambda _: self._own(height, result_of(found)))
            results = result_of(outcome)
        return self._told(f"block {height}", lambda: self._block(height, raw, results))

    def _own_block(self, height: int) -> Json:
        return self._own(height, self.raw_block(height))

    def _own(self, height: int, raw: Json) -> Json:
        """`raw`; what is of another chain or height is not kept."""

        def read() -> Json:
            header = raw["block"]["header"]
            self._require(height, header["chain_id"], read_integer(header["height"]))
            return raw

        return self._told(f"block {height}", read)

    def _require(self, height: int, chain_id: str, of: int) -> None:
        """Raises ValueError: what was told is not of this chain and height."""
        if (chain_id, of) != (self.chain_id, height):
            raise ValueError(f"it is of {chain_id!a:.64} {of}")

    def _told(self, query: str, reader: Callable[[], _V]) -> _V:
        return read_answer(self.chain_id, query, reader, self._rpc)

    def _block(self, height: int, raw: Json, results: Json) -> CommittedBlock:
        block = read_block(raw, results, encoded=self.encoded, without=self._unread)
        # guard: h94-an-answer-of-another-height-is-believed test_h94_an_answer_of_another_block_is_refused
        #   test_h94_results_of_another_height_are_refused
        self._require(height, block.chain_id, block.height)
        told = read_integer(results.get("height"))
        # guard: h94-an-answer-of-another-height-is-believed drop
        if told != height:
            raise ValueError(f"its results are of {told}")
        return block

    def _read(self, height: int, raw: Json, results: Json) -> Fetched:
        block = self._block(height, raw, results)
        before = raw["block"]["header"].get("last_block_id") or {}
        return Fetched(block, _hash(raw["block_id"]), _hash(before))


def _hash(block_id: Json) -> str:
    found = block_id.get("hash") or ""
    if not isinstance(found, str):
        raise TypeError(f"no hash: {found!a:.64}")
    return found.upper()
