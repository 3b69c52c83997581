"""Store entries with proofs from a CometBFT node, in as few requests as the node supports.

pyibc nodes prove many keys by one query (pyibc.node.v1.Query/Proofs); other nodes get one ABCI query per key,
sent in JSON-RPC batches. Proofs are not verified here; the client on the counterparty chain does that.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from pyibc.codec.comet_json import Json, read_base64, read_integer
from pyibc.core.comet.compression import inflate
from pyibc.core.paths import STORE_NAME
from pyibc.core.wire.merkle import encode_merkle_proofs
from pyibc.proto.pyibc.node.v1.query_pb2 import QueryProofsRequest, QueryProofsResponse
from pyibc.relayer.chain.grpc_query import UNKNOWN_QUERY, QuerySupport
from pyibc.relayer.chain.values import Proven, height_on
from pyibc.relayer.errors import EndpointRefused, EndpointUnavailable, RelayerError
from pyibc.relayer.packets.proofs import MAX_TIMEOUTS, TimeoutCount
from pyibc.relayer.rpc.calls import Call, Rpc, outcome_of, result_of
from pyibc.relayer.rpc.client import MAX_BATCH, printable
from pyibc.relayer.rpc.reading import decode_proven, read_answer

STORE_QUERY = "store/{store}/key"
PROOFS = "/pyibc.node.v1.Query/Proofs"

BULK_KEYS = 100
"""Keys per bulk query; the response has about 150 kB."""

MAX_STORE_PROOF = 65_536
"""Maximum size of the store's proof, bytes. It is copied into the proof of each key, so a large one would be
multiplied; with a thousand stores in the multistore it has less than a thousand bytes."""

MAX_INFLATED = 4 * 1024 * 1024
"""Maximum decompressed size of a bulk response, bytes; an entry has about 1.5 kB."""

_V = TypeVar("_V")
_Ask = Callable[[Sequence[bytes], int, TimeoutCount], list[_V]]


def abci_query_call(path: str, data: bytes, height: int | None = None, *, prove: bool = False) -> Call:
    """Build an ABCI query of the state after block `height`; None: after the node's last block."""
    at = {} if height is None else {"height": str(height)}
    return Call("abci_query", {"path": path, "data": data.hex(), **at, **({"prove": True} if prove else {})})


def abci_response(chain_id: str, outcome: Json, path: str, rpc: Rpc, *, proves: bool) -> Json:
    """Return the response in a result of `abci_query`.

    Raises:
        EndpointRefused: the application refuses the query.
        MalformedAnswer: the result is malformed.
    """
    answer = read_answer(chain_id, "abci_query", lambda: dict(outcome["response"]), rpc.report_malformed)
    log = printable(str(answer.get("log") or ""))
    if answer.get("code"):
        raise EndpointRefused(chain_id, path, f"{answer['code']!a:.32} {log}")
    # iavl refuses with code 0 and the log "version does not exist".
    if log and proves and not answer.get("proofOps"):
        raise EndpointRefused(chain_id, path, log)
    return answer


class RpcProofs:
    """Store proofs of one chain."""

    def __init__(self, rpc: Rpc, chain_id: str, parallel: int) -> None:
        """Create the reader; `parallel` is the number of concurrent requests."""
        self._rpc = rpc
        self._chain_id = chain_id
        self._parallel = parallel
        self._bulk = QuerySupport()

    def prove(self, key: bytes, height: int, store: str) -> Proven:
        """Return the entry at a key of a store after block `height`, with proof.

        Raises:
            EndpointRefused: the node has pruned the state of that height.
            EndpointUnavailable, MalformedAnswer: no response, or a malformed one.
        """
        path = STORE_QUERY.format(store=store)
        call = abci_query_call(path, key, height, prove=True)
        return self._entry(self._rpc.call(call.method, **call.params), path, height)

    def prove_many(self, keys: Sequence[bytes], height: int) -> list[Proven | RelayerError]:
        """Return the entry at each key of the IBC store with proof, or the error."""
        if len(keys) <= 1 or not self._bulk.should_try():
            return self._in_batches(keys, height, MAX_BATCH, self._query_batch)
        found = self._in_batches(keys, height, BULK_KEYS, self._query_bulk)
        left = [key for key, each in zip(keys, found, strict=True) if each is None]
        more = iter(self._in_batches(left, height, MAX_BATCH, self._query_batch))
        return [next(more) if each is None else each for each in found]

    # -- inside

    def _in_batches(self, keys: Sequence[bytes], height: int, size: int, ask: _Ask[_V]) -> list[_V]:
        """Query the keys in batches of `size`, concurrently; return the answers in order."""
        timeouts = TimeoutCount()
        parts = [keys[start : start + size] for start in range(0, len(keys), size)]
        if self._parallel <= 1 or len(parts) <= 1:
            return [each for part in parts for each in ask(part, height, timeouts)]
        workers = min(self._parallel, len(parts))
        with ThreadPoolExecutor(workers, thread_name_prefix="proofs") as threads:
            answers = threads.map(lambda part: ask(part, height, timeouts), parts)
            return [answer for part in answers for answer in part]

    def _query_bulk(
        self, keys: Sequence[bytes], height: int, timeouts: TimeoutCount
    ) -> list[Proven | RelayerError | None]:
        """Query all keys by one bulk query; None per key: refused, or the response is malformed."""
        if timeouts.value >= MAX_TIMEOUTS:
            return [*self._not_queried(keys)]
        request = QueryProofsRequest(store=STORE_NAME, keys=keys, deflate=True).SerializeToString()
        outcome = outcome_of(self._rpc, abci_query_call(PROOFS, request, height))
        if isinstance(outcome, EndpointUnavailable):
            timeouts.value += 1
            return [outcome] * len(keys)
        timeouts.value = 0
        try:
            return [*self._read(PROOFS, lambda: self._entries(outcome, len(keys), height))]
        except RelayerError:
            self._bulk.record_refusal(is_unknown=_is_unsupported(outcome))
            return [None] * len(keys)

    def _entries(self, outcome: Json | RelayerError, count: int, height: int) -> list[Proven]:
        response = result_of(outcome)["response"]
        if response.get("code"):
            # guard: h241-a-refusal-is-taken-for-a-malformed-answer {EndpointRefused(self._chain_id, PROOFS,
            #   f"{response['code']!a:.32}") => ValueError('it refuses')}
            #   test_h241_a_node_that_knows_no_query_is_not_doubted
            raise EndpointRefused(self._chain_id, PROOFS, f"{response['code']!a:.32}")
        value = read_base64(response["value"])
        return _read_entries(self._chain_id, value, read_integer(response["height"]), count, height)

    def _query_batch(
        self, keys: Sequence[bytes], height: int, timeouts: TimeoutCount
    ) -> list[Proven | RelayerError]:
        """Query each key by an ABCI query, in one JSON-RPC batch."""
        if timeouts.value >= MAX_TIMEOUTS:
            return self._not_queried(keys)
        path = STORE_QUERY.format(store=STORE_NAME)
        outcomes = self._rpc.call_many([abci_query_call(path, key, height, prove=True) for key in keys])
        is_silent = all(isinstance(each, EndpointUnavailable) for each in outcomes)
        timeouts.value = timeouts.value + 1 if is_silent else 0
        return [self._entry_or_error(each, path, height) for each in outcomes]

    def _not_queried(self, keys: Sequence[bytes]) -> list[Proven | RelayerError]:
        return [EndpointUnavailable(self._chain_id, "not queried: the node does not answer")] * len(keys)

    def _entry_or_error(self, outcome: Json | RelayerError, path: str, height: int) -> Proven | RelayerError:
        if isinstance(outcome, RelayerError):
            return outcome
        try:
            return self._entry(outcome, path, height)
        except RelayerError as error:
            return error

    def _entry(self, outcome: Json, path: str, height: int) -> Proven:
        answer = abci_response(self._chain_id, outcome, path, self._rpc, proves=True)
        return self._read("abci_query", lambda: decode_proven(self._chain_id, answer, height))

    def _read(self, query: str, reader: Callable[[], _V]) -> _V:
        return read_answer(self._chain_id, query, reader, self._rpc.report_malformed)


def _is_unsupported(outcome: Json | RelayerError) -> bool:
    """Return whether the node does not support the bulk query."""
    response = outcome.get("response") if isinstance(outcome, dict) else None
    if not isinstance(response, dict):
        return False
    return (response.get("codespace"), response.get("code")) == UNKNOWN_QUERY


def _read_entries(chain_id: str, value: bytes, entry_height: int, count: int, height: int) -> list[Proven]:
    """Decode a bulk response for `count` keys after block `height`.

    Raises:
        ValueError, DecodeError, InvalidProof: it is malformed, of another height or number of keys, or too
            large when decompressed.
    """
    answer = QueryProofsResponse.FromString(value)
    if answer.deflated:
        answer = QueryProofsResponse.FromString(inflate(answer.deflated, MAX_INFLATED))
    if not entry_height == answer.height == height:
        raise ValueError(f"the proofs are for height {entry_height} and {answer.height}, not {height}")
    if len(answer.store_proof) > MAX_STORE_PROOF:
        raise ValueError(f"a store proof of {len(answer.store_proof)} bytes")
    if len(answer.entries) != count:
        raise ValueError(f"{len(answer.entries)} entries for {count} keys")
    proofs = encode_merkle_proofs([each.proof for each in answer.entries], answer.store_proof)
    at = height_on(chain_id, height + 1)
    return [Proven(each.value or None, proof, at) for each, proof in zip(answer.entries, proofs, strict=True)]
