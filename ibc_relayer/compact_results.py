"""Results of blocks in protobuf, from nodes that give them (pyibc.node.v1.Query/BlockResults).

`block_results` has every attribute of every event in JSON: on our own chains it is most of what CometBFT's
RPC costs, and of what reading a block costs a relayer. A node that does not know the query is seldom asked.
"""

from collections.abc import Container, Iterable
from typing import Any, NamedTuple

from ibc_core import native
from ibc_core.comet_json.fields import Json, read_base64
from ibc_core.host.block import CommittedBlock, TxOutcome
from ibc_core.host.events import Event, besides
from ibc_core.wire.deflated import NotDeflated, inflate
from ibc_proto.pyibc.node.v1.query_pb2 import QueryBlockResultsRequest, QueryBlockResultsResponse
from ibc_proto.tendermint.abci import types_pb2 as abci
from ibc_relayer.errors import EndpointUnavailable, RelayerError
from ibc_relayer.rpc_calls import Call
from light_client.tendermint.comet_json import read_header
from light_client.tendermint.hashing import data_hash, header_hash

BLOCK_RESULTS = "/pyibc.node.v1.Query/BlockResults"

APART = 8
"""Blocks after one whose results the node keeps no longer, until it is asked again: as many as ours keeps."""
SELDOM = 1_000
"""The same after any other refusal, as by a node that knows no such query, or tells no transactions."""
MOST_INFLATED = 64 * 1024 * 1024
"""Bytes of an answer once it is inflated: some 20,000 packets. Of what is more, JSON is asked for."""

_NOT_KEPT = ("sdk", 22)  # ErrKeyNotFound
_DEFLATED = b"\x32"  # the tag of `deflated` in the answer, alone there


class Results(NamedTuple):
    """What a block did."""

    outcomes: list[TxOutcome]
    events: tuple[Event, ...]  # of the begin and end of the block
    app_hash: bytes


class CompactResults:
    """What one chain's nodes give in protobuf. For any thread: at worst a question is asked in vain."""

    def __init__(self, without: frozenset[str], *, asked: bool = True) -> None:
        """`without`: types of events that nobody reads. Not `asked`: nothing is asked for in this way."""
        self.without = without
        self._asked = asked
        self._first = 0

    def asks(self, height: int) -> bool:
        """Whether to ask for a block in this way."""
        return self._asked and height >= self._first

    def rest(self, height: int) -> None:
        """Something of the answer for `height` was of no use: JSON is asked for at least for some blocks."""
        self._first = max(self._first, height + APART)

    def question(self, height: int) -> Call:
        """The query."""
        request = QueryBlockResultsRequest(
            height=height, without=sorted(self.without), brief=True, txs=True, deflate=True
        )
        return Call("abci_query", {"path": BLOCK_RESULTS, "data": request.SerializeToString().hex()})

    def told(self, height: int, outcome: Json | RelayerError) -> Results | None:
        """The answer to `question`; None: the node does not give it, and `block_results` is to be asked for.

        Raises:
            EndpointUnavailable: the node does not answer.
            KeyError, TypeError, ValueError, DecodeError: the answer is none, or of another block.
        """
        if isinstance(outcome, EndpointUnavailable):
            raise outcome
        response = {} if isinstance(outcome, RelayerError) else outcome["response"]
        value = read_base64(response.get("value"))
        found = None if response.get("code") or not value else self._read(height, value)
        if found is None:
            is_gone = (response.get("codespace"), response.get("code")) == _NOT_KEPT
            self._first = height + (APART if is_gone else SELDOM)
        return found

    def block(self, raw: Json, results: Results) -> CommittedBlock:
        """The block of the answer `raw` to `header`, with `results`, whose transactions are those it hashes.

        Raises:
            ValueError, KeyError, TypeError, AttributeError: the answer is malformed, or of another block.
        """
        header = read_header(raw["header"])
        # guard: transactions-of-no-header test_transactions_that_the_header_does_not_hash_are_refused
        if data_hash([each.tx for each in results.outcomes]) != header.data_hash:
            raise ValueError("its transactions are not those of its header")
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

    def _read(self, height: int, value: bytes) -> Results | None:
        """What an answer tells; None: it tells no transactions, or is not to be inflated."""
        try:
            told = _plain(value)
        except NotDeflated:
            return None
        of, app_hash, results, events, txs = native.read_results(told) or _by_protobuf(told)
        if of != height:
            raise ValueError(f"results of {of}")
        # guard: results-without-transactions test_of_a_node_that_tells_no_transactions_json_is_asked_for
        if results and not txs:
            return None
        outcomes = [_outcome(tx, each, self.without) for tx, each in zip(txs, results, strict=True)]
        return Results(outcomes, besides(events, self.without), app_hash)


def _plain(value: bytes) -> bytes:
    """An answer as it is before it is deflated: a node may not know how to."""
    answer = QueryBlockResultsResponse.FromString(value) if value.startswith(_DEFLATED) else None
    return value if answer is None or not answer.deflated else inflate(answer.deflated, MOST_INFLATED)


def _outcome(tx: bytes, of: tuple[Any, ...], without: Container[str]) -> TxOutcome:
    code, codespace, events, wanted, used, data, log = of
    return TxOutcome(tx, code, codespace, besides(events, without), wanted, used, data, log)


def _by_protobuf(told: bytes) -> tuple[Any, ...]:
    """As `native.read_results`; raises DecodeError."""
    answer = QueryBlockResultsResponse.FromString(told)
    results = [
        (of.code, of.codespace, _events(of.events), of.gas_wanted, of.gas_used, of.data, of.log)
        for of in answer.tx_results
    ]
    return answer.height, answer.app_hash, tuple(results), _events(answer.events), tuple(answer.txs)


def _events(of: Iterable[abci.Event]) -> tuple[Event, ...]:
    return tuple([(event.type, tuple([(each.key, each.value) for each in event.attributes])) for event in of])
