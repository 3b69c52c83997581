"""Queries that only nodes of pyibc serve (pyibc.node.v1), each cheaper than the standard one it replaces.

Nothing depends on them: without this module's objects, or once a node refuses a query, the relayer uses
`block_results` in JSON, one ABCI query per proof, and Service/Simulate.
"""

from collections.abc import Container, Iterable, Sequence
from typing import Any, NamedTuple

from light_client.tendermint.comet_json import read_header
from light_client.tendermint.hashing import data_hash, header_hash
from pyibc.codec.comet_json import Json, read_base64, read_integer
from pyibc.core import native
from pyibc.core.comet import NotDeflated, deflate, inflate
from pyibc.core.host.block import CommittedBlock, Event, TxOutcome, besides
from pyibc.core.paths import STORE_NAME
from pyibc.core.wire.merkle import encode_merkle_proofs
from pyibc.proto.pyibc.node.v1 import query_pb2 as pb
from pyibc.proto.tendermint.abci import types_pb2 as abci
from pyibc.relayer.chain.grpc_query import UNKNOWN_QUERY, QuerySupport
from pyibc.relayer.chain.values import Proven, height_on
from pyibc.relayer.errors import EndpointRefused, EndpointUnavailable, RelayerError
from pyibc.relayer.rpc.calls import Call, abci_query_call, result_of

# -- results of a block in protobuf
#
# The JSON of `block_results` has each attribute of each event, and dominates the cost of CometBFT's RPC and
# of reading a block. After a refusal the protobuf query is not tried again for a number of blocks.

BLOCK_RESULTS = "/pyibc.node.v1.Query/BlockResults"

PRUNED_BACKOFF = 8
"""Blocks to read in JSON after the node has pruned the results; a pyibc node retains as many."""
UNSUPPORTED_BACKOFF = 1_000
"""Blocks to read in JSON after any other refusal, for example if the node does not support the query."""
MAX_RESULTS = 64 * 1024 * 1024
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

    def __init__(self, without: frozenset[str]) -> None:
        """Set the event types to leave out."""
        self.without = without
        self._first = 0

    def should_query(self, height: int) -> bool:
        """Return whether to use the protobuf query for a block."""
        return height >= self._first

    def back_off(self, height: int) -> None:
        """Use JSON for the next blocks, since the response for `height` could not be used."""
        self._first = max(self._first, height + PRUNED_BACKOFF)

    def call(self, height: int) -> Call:
        """Build the call for the results of a block."""
        request = pb.QueryBlockResultsRequest(
            height=height, without=sorted(self.without), brief=True, txs=True, deflate=True
        )
        return abci_query_call(BLOCK_RESULTS, request.SerializeToString())

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
    answer = pb.QueryBlockResultsResponse.FromString(value) if value.startswith(_DEFLATED) else None
    return value if answer is None or not answer.deflated else inflate(answer.deflated, MAX_RESULTS)


def _outcome(tx: bytes, result: tuple[Any, ...], without: Container[str]) -> TxOutcome:
    code, codespace, events, wanted, used, data, log = result
    return TxOutcome(tx, code, codespace, besides(events, without), wanted, used, data, log)


def _by_protobuf(plain: bytes) -> tuple[Any, ...]:
    """Decode a response without the native library, as `native.read_results`. Raises DecodeError."""
    answer = pb.QueryBlockResultsResponse.FromString(plain)
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


# -- many proofs by one query

PROOFS = "/pyibc.node.v1.Query/Proofs"

BULK_KEYS = 100
"""Keys per query; the response has about 150 kB."""

MAX_STORE_PROOF = 65_536
"""Maximum size of the store's proof, bytes. It is copied into the proof of each key, so a large one would be
multiplied; with a thousand stores in the multistore it has less than a thousand bytes."""

MAX_PROOFS = 4 * 1024 * 1024
"""Maximum decompressed size of a response, bytes; an entry has about 1.5 kB."""


class BulkProofs(QuerySupport):
    """Query of many entries of the IBC store. For any thread."""

    keys_per_query = BULK_KEYS

    def __init__(self, chain_id: str) -> None:
        """Assume that the chain's nodes serve it."""
        super().__init__()
        self._chain_id = chain_id

    def call(self, keys: Sequence[bytes], height: int) -> Call:
        """Build the call for the entries at `keys` after block `height`."""
        request = pb.QueryProofsRequest(store=STORE_NAME, keys=keys, deflate=True)
        return abci_query_call(PROOFS, request.SerializeToString(), height)

    def decode(self, outcome: Json | RelayerError, count: int, height: int) -> list[Proven]:
        """Decode the outcome of the call for `count` keys.

        Raises:
            RelayerError: the node refuses the query, or does not answer.
            ValueError, KeyError, TypeError, DecodeError, InvalidProof: the response is malformed, of another
                height or number of keys, or too large when decompressed.
        """
        response = result_of(outcome)["response"]
        if response.get("code"):
            # guard: h241-a-refusal-is-taken-for-a-malformed-answer {EndpointRefused(self._chain_id, PROOFS,
            #   f"{response['code']!a:.32}") => ValueError('it refuses')}
            #   test_h241_a_node_that_knows_no_query_is_not_doubted
            raise EndpointRefused(self._chain_id, PROOFS, f"{response['code']!a:.32}")
        answer = _inflated(read_base64(response["value"]))
        reported = read_integer(response["height"])
        if not reported == answer.height == height:
            raise ValueError(f"the proofs are for height {reported} and {answer.height}, not {height}")
        if len(answer.store_proof) > MAX_STORE_PROOF:
            raise ValueError(f"a store proof of {len(answer.store_proof)} bytes")
        if len(answer.entries) != count:
            raise ValueError(f"{len(answer.entries)} entries for {count} keys")
        proofs = encode_merkle_proofs([each.proof for each in answer.entries], answer.store_proof)
        at = height_on(self._chain_id, height + 1)
        pairs = zip(answer.entries, proofs, strict=True)
        return [Proven(each.value or None, proof, at) for each, proof in pairs]

    def back_off(self, outcome: Json | RelayerError) -> None:
        """Query the keys one by one for a while, since the outcome of a call could not be used."""
        response = outcome.get("response") if isinstance(outcome, dict) else None
        code = (response.get("codespace"), response.get("code")) if isinstance(response, dict) else None
        self.record_refusal(is_unknown=code == UNKNOWN_QUERY)


def _inflated(value: bytes) -> pb.QueryProofsResponse:
    answer = pb.QueryProofsResponse.FromString(value)
    if not answer.deflated:
        return answer
    return pb.QueryProofsResponse.FromString(inflate(answer.deflated, MAX_PROOFS))


# -- gas of a simulated transaction, without its events

ESTIMATE_GAS = "/pyibc.node.v1.Query/EstimateGas"


class GasEstimates(QuerySupport):
    """Query of the gas that a transaction uses. For any thread."""

    path = ESTIMATE_GAS

    @staticmethod
    def request(raw: bytes) -> pb.QueryEstimateGasRequest:
        """Build the request for the transaction `raw`."""
        return pb.QueryEstimateGasRequest(deflated_tx=deflate(raw))

    @staticmethod
    def decode(answer: bytes) -> int:
        """Decode a response. Raises DecodeError."""
        return pb.QueryEstimateGasResponse.FromString(answer).gas_used


class NodeQueries:
    """Constructors of all queries of this module (`RpcConfig.node_queries`)."""

    results = CompactResults
    proofs = BulkProofs
    gas = GasEstimates
