"""Store entries with proofs from a CometBFT node, in as few requests as the node supports.

Each key is an ABCI query, sent in JSON-RPC batches, unless the nodes prove many keys by one query
(`node_queries.py`). Proofs are not verified here; the client on the counterparty chain does that.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from pyibc.codec.comet_json import Json
from pyibc.core.paths import STORE_NAME
from pyibc.relayer.chain.values import Proven
from pyibc.relayer.errors import EndpointRefused, EndpointUnavailable, RelayerError
from pyibc.relayer.packets.proofs import MAX_TIMEOUTS, TimeoutCount
from pyibc.relayer.rpc.calls import Rpc, abci_query_call, call_outcome, outcome_of, result_of
from pyibc.relayer.rpc.client import MAX_BATCH, printable
from pyibc.relayer.rpc.reading import decode_proven, read_answer

if TYPE_CHECKING:  # loaded by `RpcConfig` alone, which can leave them out
    from pyibc.relayer.rpc.node_queries import BulkProofs

STORE_QUERY = "store/{store}/key"

_V = TypeVar("_V")
_Ask = Callable[[Sequence[bytes], int, TimeoutCount], list[_V]]


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

    def __init__(self, rpc: Rpc, chain_id: str, parallel: int, bulk: "BulkProofs | None" = None) -> None:
        """Create the reader with so many concurrent requests; `bulk` proves many keys by one, if nodes do."""
        self._rpc = rpc
        self._chain_id = chain_id
        self._parallel = parallel
        self._bulk = bulk

    def prove(self, key: bytes, height: int, store: str = STORE_NAME) -> Proven:
        """Return the entry at a key of a store after block `height`, with proof.

        Raises:
            EndpointRefused: the node has pruned the state of that height.
            EndpointUnavailable, MalformedAnswer: no response, or a malformed one.
        """
        path = STORE_QUERY.format(store=store)
        call = abci_query_call(path, key, height, prove=True)
        return self._entry_of(self._rpc.call(call.method, **call.params), path, height)

    def prove_many(self, keys: Sequence[bytes], height: int) -> list[Proven | RelayerError]:
        """Return the entry at each key of the IBC store with proof, or the error."""
        bulk = self._bulk
        if bulk is None or len(keys) <= 1 or not bulk.should_try():
            return self._in_batches(keys, height, MAX_BATCH, self._query_batch)
        found = self._in_batches(keys, height, bulk.keys_per_query, partial(self._query_bulk, bulk))
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
        self, bulk: "BulkProofs", keys: Sequence[bytes], height: int, timeouts: TimeoutCount
    ) -> list[Proven | RelayerError | None]:
        """Query all keys by one bulk query; None per key: refused, or the response is malformed."""
        if timeouts.value >= MAX_TIMEOUTS:
            return [*self._not_queried(keys)]
        call = bulk.call(keys, height)
        outcome = call_outcome(self._rpc, call)
        if isinstance(outcome, EndpointUnavailable):
            timeouts.value += 1
            return [outcome] * len(keys)
        timeouts.value = 0
        try:
            return [*self._read(call.params["path"], lambda: bulk.decode(outcome, len(keys), height))]
        except RelayerError:
            bulk.back_off(outcome)
            return [None] * len(keys)

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
        return [outcome_of(partial(self._entry_of, each, path, height)) for each in outcomes]

    def _not_queried(self, keys: Sequence[bytes]) -> list[Proven | RelayerError]:
        return [EndpointUnavailable(self._chain_id, "not queried: the node does not answer")] * len(keys)

    def _entry_of(self, outcome: Json | RelayerError, path: str, height: int) -> Proven:
        answer = abci_response(self._chain_id, result_of(outcome), path, self._rpc, proves=True)
        return self._read("abci_query", lambda: decode_proven(self._chain_id, answer, height))

    def _read(self, query: str, reader: Callable[[], _V]) -> _V:
        return read_answer(self._chain_id, query, reader, self._rpc.report_malformed)
