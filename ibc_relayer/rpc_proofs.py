"""Entries of a chain's IBC store with their proofs, from a CometBFT node: as many by one request as it takes.

Our own nodes prove many at once (pyibc.node.v1.Query/Proofs); others are asked for each, some by one request.
Nothing here is verified: the other chain does that.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from ibc_core.comet_json.fields import Json, read_base64, read_integer
from ibc_core.paths import STORE_NAME
from ibc_core.wire.deflated import inflate
from ibc_core.wire.merkle import encode_merkle_proofs
from ibc_proto.pyibc.node.v1.query_pb2 import QueryProofsRequest, QueryProofsResponse
from ibc_relayer.endpoint import Proven, height_on
from ibc_relayer.errors import EndpointRefused, EndpointUnavailable, RelayerError
from ibc_relayer.proofs import SILENCE, Silence
from ibc_relayer.rpc_calls import Call, Rpc, call_many, outcome_of, result_of
from ibc_relayer.rpc_client import AT_ONCE, printable
from ibc_relayer.rpc_proven import proven
from ibc_relayer.rpc_read import read_answer
from ibc_relayer.seldom import UNKNOWN_QUERY, Seldom

STORE_QUERY = "store/{store}/key"
PROOFS = "/pyibc.node.v1.Query/Proofs"

IN_BULK = 100
"""Keys of one query for many: an answer of some 150 kB."""

MOST_OF_STORE = 65_536
"""Bytes of a store's own proof, which stands in each entry's: of a megabyte a node could have a hundred made.
In a multistore of a thousand stores it has less than a thousand."""

MOST_INFLATED = 4 * 1024 * 1024
"""Bytes of an answer for `IN_BULK` keys, once it is inflated; an entry has some 1.5 kB."""

_V = TypeVar("_V")
_Ask = Callable[[Sequence[bytes], int, Silence], list[_V]]


def question(path: str, data: bytes, height: int | None = None, *, prove: bool = False) -> Call:
    """An ABCI query of the state after block `height`; None: of the node's last."""
    at = {} if height is None else {"height": str(height)}
    return Call("abci_query", {"path": path, "data": data.hex(), **at, **({"prove": True} if prove else {})})


def response_of(chain_id: str, said: Json, path: str, rpc: Rpc, *, proves: bool) -> Json:
    """The response in an answer of `rpc` to an ABCI query.

    Raises:
        EndpointRefused: the application refuses.
        MalformedAnswer: it is none.
    """
    answer = read_answer(chain_id, "abci_query", lambda: dict(said["response"]), rpc)
    log = printable(str(answer.get("log") or ""))
    if answer.get("code"):
        raise EndpointRefused(chain_id, path, f"{answer['code']!a:.32} {log}")
    # iavl's store says so with code 0: "version does not exist".
    if log and proves and not answer.get("proofOps"):
        raise EndpointRefused(chain_id, path, log)
    return answer


class RpcProofs:
    """Proofs of one chain's state."""

    def __init__(self, rpc: Rpc, chain_id: str, parallel: int) -> None:
        """`parallel`: requests under way at once."""
        self._rpc = rpc
        self._chain_id = chain_id
        self._parallel = parallel
        self._bulk = Seldom()

    def one(self, key: bytes, height: int, store: str) -> Proven:
        """The entry at a key of a store after block `height`.

        Raises:
            EndpointRefused: the node does not keep the state of that height.
            EndpointUnavailable, MalformedAnswer: it does not answer, or not as it should.
        """
        path = STORE_QUERY.format(store=store)
        asked = question(path, key, height, prove=True)
        return self._entry(self._rpc.call(asked.method, **asked.params), path, height)

    def many(self, keys: Sequence[bytes], height: int) -> list[Proven | RelayerError]:
        """The entry at each key of the IBC store; the error where it fails."""
        if len(keys) <= 1 or not self._bulk.asks():
            return self._at_once(keys, height, AT_ONCE, self._together)
        found = self._at_once(keys, height, IN_BULK, self._in_bulk)
        left = [key for key, each in zip(keys, found, strict=True) if each is None]
        more = iter(self._at_once(left, height, AT_ONCE, self._together))
        return [next(more) if each is None else each for each in found]

    # -- inside

    def _at_once(self, keys: Sequence[bytes], height: int, size: int, ask: _Ask[_V]) -> list[_V]:
        """The answers to parts of so many keys, several requests at once."""
        silence = Silence()
        parts = [keys[start : start + size] for start in range(0, len(keys), size)]
        if self._parallel <= 1 or len(parts) <= 1:
            return [each for part in parts for each in ask(part, height, silence)]
        workers = min(self._parallel, len(parts))
        with ThreadPoolExecutor(workers, thread_name_prefix="proofs") as threads:
            answers = threads.map(lambda part: ask(part, height, silence), parts)
            return [answer for part in answers for answer in part]

    def _in_bulk(
        self, keys: Sequence[bytes], height: int, silence: Silence
    ) -> list[Proven | RelayerError | None]:
        """By one query for all; None: the node does not answer it, or not as it should."""
        if silence.length >= SILENCE:
            return [*self._not_asked(keys)]
        request = QueryProofsRequest(store=STORE_NAME, keys=keys, deflate=True).SerializeToString()
        said = outcome_of(self._rpc, question(PROOFS, request, height))
        if isinstance(said, EndpointUnavailable):
            silence.length += 1
            return [said] * len(keys)
        silence.length = 0
        try:
            return [*self._read(PROOFS, lambda: self._entries(said, len(keys), height))]
        except RelayerError:
            self._bulk.refused(is_unknown=_is_unknown(said))
            return [None] * len(keys)

    def _entries(self, said: Json | RelayerError, count: int, height: int) -> list[Proven]:
        response = result_of(said)["response"]
        if response.get("code"):
            # guard: h241-a-refusal-is-taken-for-a-malformed-answer {EndpointRefused(self._chain_id, PROOFS,
            #   f"{response['code']!a:.32}") => ValueError('it refuses')}
            #   test_h241_a_node_that_knows_no_query_is_not_doubted
            raise EndpointRefused(self._chain_id, PROOFS, f"{response['code']!a:.32}")
        value = read_base64(response["value"])
        return _read_entries(self._chain_id, value, read_integer(response["height"]), count, height)

    def _together(self, keys: Sequence[bytes], height: int, silence: Silence) -> list[Proven | RelayerError]:
        """By a query for each, in one request."""
        if silence.length >= SILENCE:
            return self._not_asked(keys)
        path = STORE_QUERY.format(store=STORE_NAME)
        told = call_many(self._rpc, [question(path, key, height, prove=True) for key in keys])
        is_silent = all(isinstance(each, EndpointUnavailable) for each in told)
        silence.length = silence.length + 1 if is_silent else 0
        return [self._entry_or_error(each, path, height) for each in told]

    def _not_asked(self, keys: Sequence[bytes]) -> list[Proven | RelayerError]:
        return [EndpointUnavailable(self._chain_id, "not asked: it does not answer")] * len(keys)

    def _entry_or_error(self, told: Json | RelayerError, path: str, height: int) -> Proven | RelayerError:
        if isinstance(told, RelayerError):
            return told
        try:
            return self._entry(told, path, height)
        except RelayerError as error:
            return error

    def _entry(self, said: Json, path: str, height: int) -> Proven:
        answer = response_of(self._chain_id, said, path, self._rpc, proves=True)
        return self._read("abci_query", lambda: proven(self._chain_id, answer, height))

    def _read(self, query: str, reader: Callable[[], _V]) -> _V:
        return read_answer(self._chain_id, query, reader, self._rpc)


def _is_unknown(said: Json | RelayerError) -> bool:
    """Whether the node knows no such query."""
    response = said.get("response") if isinstance(said, dict) else None
    if not isinstance(response, dict):
        return False
    return (response.get("codespace"), response.get("code")) == UNKNOWN_QUERY


def _read_entries(chain_id: str, value: bytes, told: int, count: int, height: int) -> list[Proven]:
    """The entries in an answer for `count` keys after block `height`.

    Raises:
        ValueError, DecodeError, InvalidProof: it is malformed, of another height, of fewer or more keys, or
            too large, once it is inflated as well.
    """
    answer = QueryProofsResponse.FromString(value)
    if answer.deflated:
        answer = QueryProofsResponse.FromString(inflate(answer.deflated, MOST_INFLATED))
    if not told == answer.height == height:
        raise ValueError(f"proofs at {told} and {answer.height}, not at {height}")
    if len(answer.store_proof) > MOST_OF_STORE:
        raise ValueError(f"a store's proof of {len(answer.store_proof)} bytes")
    if len(answer.entries) != count:
        raise ValueError(f"{len(answer.entries)} entries for {count} keys")
    proofs = encode_merkle_proofs([each.proof for each in answer.entries], answer.store_proof)
    at = height_on(chain_id, height + 1)
    return [Proven(each.value or None, proof, at) for each, proof in zip(answer.entries, proofs, strict=True)]
