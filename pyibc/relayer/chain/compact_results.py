"""Block results in protobuf, from nodes that support pyibc.node.v1.Query/BlockResults.

The JSON of `block_results` has each attribute of each event, and dominates the cost of CometBFT's RPC and of
reading a block. After a refusal the protobuf query is not tried again for a number of blocks.
"""

from collections.abc import Container, Iterable
from typing import Any, NamedTuple

from light_client.tendermint.comet_json import read_header
from light_client.tendermint.hashing import data_hash, header_hash
from pyibc.codec.comet_json import Json, read_base64
from pyibc.core import native
from pyibc.core.comet.compression import NotDeflated, inflate
from pyibc.core.host.block import CommittedBlock, Event, TxOutcome, besides
from pyibc.proto.pyibc.node.v1.query_pb2 import QueryBlockResultsRequest, QueryBlockResultsResponse
from pyibc.proto.tendermint.abci import types_pb2 as abci
from pyibc.relayer.errors import EndpointUnavailable, RelayerError
from pyibc.relayer.rpc.calls import Call

BLOCK_RESULTS = "/pyibc.node.v1.Query/BlockResults"

PRUNED_BACKOFF = 8
"""Blocks to read in JSON after the node has pruned the results; a pyibc node retains as many."""
UNSUPPORTED_BACKOFF = 1_000
"""Blocks to read in JSON after any other refusal, for example if the node does not support the query."""
MAX_INFLATED = 64 * 1024 * 1024
"""Maximum decompressed size of a response, bytes (about 20,000 packets); above it, JSON is used."""

_PRUNED = ("sdk", 22)  # ErrKeyNotFound
_DEFLATED = b"\x32"  # tag of `deflated`, the only field of a compressed response


class BlockResults(NamedTuple):
    """Results of a block."""

    outcomes: list[TxOutcome]
    events: tuple[Event, ...]  # of BeginBlock and EndBlock
    app_hash: bytes


class CompactResults:
    """Protobuf block results of one node. For any thread: a race costs one useless query."""

    def __init__(self, without: frozenset[str], *, enabled: bool = True) -> None:
        """Set the event types to leave out (`without`), and whether to use the query at all (`enabled`)."""
        self.without = without
        self._enabled = enabled
        self._first = 0

    def should_query(self, height: int) -> bool:
        """Return whether to use the protobuf query for a block."""
        return self._enabled and height >= self._first

    def back_off(self, height: int) -> None:
        """Use JSON for the next blocks, since the response for `height` could not be used."""
        self._first = max(self._first, height + PRUNED_BACKOFF)

    def call(self, height: int) -> Call:
        """Build the call for the results of a block."""
        request = QueryBlockResultsRequest(
            height=height, without=sorted(self.without), brief=True, txs=True, deflate=True
        )
        return Call("abci_query", {"path": BLOCK_RESULTS, "data": request.SerializeToString().hex()})

    def decode(self, height: int, outcome: Json | RelayerError) -> BlockResults | None:
        """Decode the outcome of the call for `height`; None: refused, so `block_results` must be used.

        Raises:
            EndpointUnavailable: the node does not answer.
            KeyError, TypeError, ValueError, DecodeError: the response is malformed, or of another block.
        """
        if isinstance(outcome, EndpointUnavailable):
            raise outcome
        response = {} if isinstance(outcome, RelayerError) else outcome["response"]
        value = read_base64(response.get("value"))
        found = None if response.get("code") or not value else self._read(height, value)
        if found is None:
            is_gone = (response.get("codespace"), response.get("code")) == _PRUNED
            self._first = height + (PRUNED_BACKOFF if is_gone else UNSUPPORTED_BACKOFF)
        return found

    def block(self, raw: Json, results: BlockResults) -> CommittedBlock:
        """Build a block from a result of `header` and the results; check transactions by `data_hash`.

        Raises:
            ValueError, KeyError, TypeError, AttributeError: the header is malformed, or of another block.
        """
        header = read_header(raw["header"])
        # guard: transactions-of-no-header test_transactions_that_the_header_does_not_hash_are_refused
        if data_hash([each.tx for each in results.outcomes]) != header.data_hash:
            raise ValueError("its transactions do not match the data hash of its header")
        return CommittedBlock(
            header.chain_id,
            header.height,
            header.time_ns,
            results.app_hash,
            tuple(results.outcomes),
            results.events,
            header_hash(header),
            header.last_block_id.hash,
        )

    def _read(self, height: int, value: bytes) -> BlockResults | None:
        """Decode a response; None: it has no transactions, or cannot be decompressed."""
        try:
            plain = _plain(value)
        except NotDeflated:
            return None
        results_height, app_hash, results, events, txs = native.read_results(plain) or _by_protobuf(plain)
        if results_height != height:
            raise ValueError(f"results of height {results_height}")
        # guard: results-without-transactions test_of_a_node_that_tells_no_transactions_json_is_asked_for
        if results and not txs:
            return None
        outcomes = [_outcome(tx, each, self.without) for tx, each in zip(txs, results, strict=True)]
        return BlockResults(outcomes, besides(events, self.without), app_hash)


def _plain(value: bytes) -> bytes:
    """Decompress a response, if the node supports compression."""
    answer = QueryBlockResultsResponse.FromString(value) if value.startswith(_DEFLATED) else None
    return value if answer is None or not answer.deflated else inflate(answer.deflated, MAX_INFLATED)


def _outcome(tx: bytes, result: tuple[Any, ...], without: Container[str]) -> TxOutcome:
    code, codespace, events, wanted, used, data, log = result
    return TxOutcome(tx, code, codespace, besides(events, without), wanted, used, data, log)


def _by_protobuf(plain: bytes) -> tuple[Any, ...]:
    """Decode a response without the native library, as `native.read_results`. Raises DecodeError."""
    answer = QueryBlockResultsResponse.FromString(plain)
    results = [
        (
            result.code,
            result.codespace,
            _events(result.events),
            result.gas_wanted,
            result.gas_used,
            result.data,
            result.log,
        )
        for result in answer.tx_results
    ]
    return answer.height, answer.app_hash, tuple(results), _events(answer.events), tuple(answer.txs)


def _events(events: Iterable[abci.Event]) -> tuple[Event, ...]:
    return tuple(
        [(event.type, tuple([(each.key, each.value) for each in event.attributes])) for event in events]
    )
