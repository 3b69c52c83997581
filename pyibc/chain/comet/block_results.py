"""The gRPC method pyibc.node.v1.Query/BlockResults: results of recent blocks in protobuf, for relayers.

CometBFT returns `block_results` in JSON with every attribute of every event, which dominates the cost of its
RPC and of reading a block in a relayer. Here the request names the events to omit.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from threading import Lock

from abci_server.messages import encode, requests
from abci_server.messages.requests import ResponseCheckTx, ResponseQuery
from ibc_module import hookimpl
from pyibc.chain.abci_responses import weight_of_block
from pyibc.chain.queries.store_query import QueryAnswer
from pyibc.codec.encoding import encode as encode_message
from pyibc.core.comet import compact_events, deflate
from pyibc.core.errors import NotFound
from pyibc.core.host.block import CommittedBlock, Event, TxOutcome, besides
from pyibc.core.host.context import QueryRoute, ReadContext
from pyibc.core.host.gas import ITER_NEXT_COST, READ_BYTE
from pyibc.core.wire.requests import answering
from pyibc.proto.pyibc.node.v1 import query_pb2

# -- conversion of the host's outcomes and query responses to ABCI

MAX_LOG = 4096
"""Maximum length of a log. CometBFT stores it with the block, and errors may quote text of a message."""


def tx_result(of: TxOutcome) -> requests.ExecTxResult:
    """Return the ABCI result of a transaction in a block."""
    return requests.ExecTxResult(
        of.code, of.data, of.log[:MAX_LOG], "", of.gas_wanted, of.gas_used, of.events, of.codespace
    )


def check_result(of: TxOutcome) -> ResponseCheckTx:
    """Return the ABCI response to CheckTx."""
    return ResponseCheckTx(
        of.code, of.data, of.log[:MAX_LOG], "", of.gas_wanted, of.gas_used, of.events, of.codespace
    )


def query_answer(of: QueryAnswer) -> ResponseQuery:
    """Return the ABCI response to a query; proofs are the operations `ics23:iavl` and `ics23:simple`."""
    proof = [requests.ProofOp(*op) for op in of.proof]
    return ResponseQuery(
        of.code, of.log, key=of.key, value=of.value, proof_ops=proof, height=of.height, codespace=of.codespace
    )


# -- the gRPC method

BLOCK_RESULTS = "/pyibc.node.v1.Query/BlockResults"

_EVENTS = b"\x22"  # tag of `events` in the response

KEPT = 8
"""Maximum number of cached blocks: a relayer that is further behind queries CometBFT."""
MOST_BYTES = 64 * 1024 * 1024
"""Size limit of the cache in bytes of memory; a larger block is not cached."""


class BlockResults:
    """Cache of the last blocks' results; after a restart earlier ones are read from CometBFT."""

    def __init__(self, kept: int = KEPT, most_bytes: int = MOST_BYTES) -> None:
        """Cache at most `kept` blocks, which together take at most `most_bytes` of memory."""
        self._kept, self._most_bytes = kept, most_bytes
        self._blocks: OrderedDict[int, tuple[CommittedBlock, int]] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    @hookimpl
    def chain_queries(self) -> Mapping[str, QueryRoute]:
        """Return the route of `BLOCK_RESULTS`."""
        return {BLOCK_RESULTS: answering(query_pb2.QueryBlockResultsRequest, self.answer)}

    @hookimpl
    def chain_committed(self, block: CommittedBlock) -> None:
        """Cache `block`; after a restart the last block is reported again."""
        with self._lock:
            self._drop(block.height)
            weight = weight_of_block(block)
            self._blocks[block.height] = block, weight
            self._bytes += weight
            # guard: h248-results-of-any-weight {self._is_too_much() => len(self._blocks) > self._kept}
            #   test_h248_the_results_of_blocks_take_so_much_memory_and_no_more
            while self._is_too_much():
                self._drop(next(iter(self._blocks)))

    def answer(
        self, ctx: ReadContext, request: query_pb2.QueryBlockResultsRequest
    ) -> query_pb2.QueryBlockResultsResponse:
        """Return the results of a block, without the events that the request excludes.

        Gas is charged for each event examined, and for each byte of the response.

        Raises:
            NotFound: the block is not cached.
            OutOfGas: the results exceed a query's gas limit.
        """
        with self._lock:
            found_here = self._blocks.get(request.height)
        if found_here is None:
            raise NotFound(f"the results of block {request.height}")
        block, _ = found_here
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
        return len(self._blocks) > self._kept or self._bytes > self._most_bytes

    def _drop(self, height: int) -> None:
        dropped = self._blocks.pop(height, None)
        self._bytes -= 0 if dropped is None else dropped[1]


def _teller(without: frozenset[str], *, is_brief: bool) -> Callable[[Iterable[Event]], tuple[Event, ...]]:
    """Return a function that filters and, if `is_brief`, compresses events."""

    def told(events: Iterable[Event]) -> tuple[Event, ...]:
        left = besides(events, without)
        return compact_events(left) if is_brief else left

    return told
