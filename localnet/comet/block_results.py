"""pyibc.node.v1.Query/BlockResults: what the last blocks did, for relayers, in protobuf.

CometBFT answers `block_results` in JSON with every attribute of every event: most of what its RPC costs, and
most of what reading a block costs a relayer. Here a reader says which events it leaves out.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from threading import Lock

from abci_server import encode
from ibc_core.errors import NotFound
from ibc_core.host.block import CommittedBlock
from ibc_core.host.context import ReadContext
from ibc_core.host.events import Event, besides
from ibc_core.host.gas import ITER_NEXT_COST, READ_BYTE
from ibc_core.host.routes import QueryRoute
from ibc_core.packet.brief import brief
from ibc_core.wire.deflated import deflate
from ibc_core.wire.encoding import encode as encode_message
from ibc_core.wire.requests import answering
from ibc_module import hookimpl
from ibc_proto.pyibc.node.v1 import query_pb2
from localnet.comet.results import tx_result

BLOCK_RESULTS = "/pyibc.node.v1.Query/BlockResults"

_EVENTS = b"\x22"  # the tag of `events` in the answer

KEPT = 8
"""Blocks, at most: a relayer that is further behind asks CometBFT."""
MOST_EVENTS = 100_000
"""Of all blocks that are kept; some 35 MB. The last block is kept whatever it has."""


class BlockResults:
    """Results of the last blocks, in memory: after a restart CometBFT is asked for those before it."""

    def __init__(self, kept: int = KEPT, most_events: int = MOST_EVENTS) -> None:
        """Keeps at most `kept` blocks, with at most `most_events` but for the last one."""
        self._kept, self._most_events = kept, most_events
        self._blocks: OrderedDict[int, CommittedBlock] = OrderedDict()
        self._events = 0
        self._lock = Lock()

    @hookimpl
    def chain_queries(self) -> Mapping[str, QueryRoute]:
        """`BLOCK_RESULTS`."""
        return {BLOCK_RESULTS: answering(query_pb2.QueryBlockResultsRequest, self.answer)}

    @hookimpl
    def chain_committed(self, block: CommittedBlock) -> None:
        """Keeps `block`, which after a restart comes a second time."""
        with self._lock:
            self._drop(block.height)
            self._blocks[block.height] = block
            self._events += _count(block)
            while len(self._blocks) > 1 and self._is_too_much():
                self._drop(next(iter(self._blocks)))

    def answer(
        self, ctx: ReadContext, request: query_pb2.QueryBlockResultsRequest
    ) -> query_pb2.QueryBlockResultsResponse:
        """The results of a block, without some of their events; each event that is looked at is paid for.

        And each byte of the answer.

        Raises:
            NotFound: the block is not kept here.
            OutOfGas: its results are larger than a query may read.
        """
        with self._lock:
            block = self._blocks.get(request.height)
        if block is None:
            raise NotFound(f"the results of block {request.height}")
        told = _teller(frozenset(request.without), is_brief=request.brief)
        found = query_pb2.QueryBlockResultsResponse(height=block.height, app_hash=block.app_hash)
        for outcome in block.txs:
            ctx.gas.consume(ITER_NEXT_COST * len(outcome.events))
            result = tx_result(outcome._replace(events=told(outcome.events)))
            encode.tx_result(result, found.tx_results.add())
            ctx.gas.consume(READ_BYTE * found.tx_results[-1].ByteSize())
            if request.txs:
                ctx.gas.consume(READ_BYTE * len(outcome.tx))
                found.txs.append(outcome.tx)
        ctx.gas.consume(ITER_NEXT_COST * len(block.block_events))
        events = encode.events(told(block.block_events), _EVENTS)
        ctx.gas.consume(READ_BYTE * len(events))
        found.MergeFromString(events)
        if not request.deflate:
            return found
        return query_pb2.QueryBlockResultsResponse(deflated=deflate(encode_message(found)))

    def _is_too_much(self) -> bool:
        return len(self._blocks) > self._kept or self._events > self._most_events

    def _drop(self, height: int) -> None:
        block = self._blocks.pop(height, None)
        self._events -= 0 if block is None else _count(block)


def _teller(without: frozenset[str], *, is_brief: bool) -> Callable[[Iterable[Event]], tuple[Event, ...]]:
    """What of events is told."""

    def told(events: Iterable[Event]) -> tuple[Event, ...]:
        left = besides(events, without)
        return brief(left) if is_brief else left

    return told


def _count(block: CommittedBlock) -> int:
    return len(block.block_events) + sum(len(outcome.events) for outcome in block.txs)
