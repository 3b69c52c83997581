"""Results of blocks in protobuf, from nodes that give them (pyibc.node.v1.Query/BlockResults).

`block_results` has every attribute of every event in JSON: on our own chains it is most of what CometBFT's
RPC costs, and of what reading a block costs a relayer. A node that does not know the query is seldom asked.
"""

from collections.abc import Container, Iterable
from typing import Any, NamedTuple

from ibc_core import native
from ibc_core.comet_json.fields import Json, read_base64
from ibc_core.comet_json.results import read_header, read_txs
from ibc_core.host.block import CommittedBlock, TxOutcome
from ibc_core.host.events import Event, besides
from ibc_proto.pyibc.node.v1.query_pb2 import QueryBlockResultsRequest, QueryBlockResultsResponse
from ibc_proto.tendermint.abci import types_pb2 as abci
from ibc_relayer.errors import EndpointUnavailable, RelayerError
from ibc_relayer.rpc_calls import Call

BLOCK_RESULTS = "/pyibc.node.v1.Query/BlockResults"

APART = 8
"""Blocks after one whose results the node keeps no longer, until it is asked again: as many as ours keeps."""
SELDOM = 1_000
"""The same after any other refusal, as by a node that knows no such query."""

_NOT_KEPT = ("sdk", 22)  # ErrKeyNotFound


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

    def question(self, height: int) -> Call:
        """The query."""
        request = QueryBlockResultsRequest(height=height, without=sorted(self.without), brief=True)
        return Call("abci_query", {"path": BLOCK_RESULTS, "data": request.SerializeToString().hex()})

    def told(self, height: int, outcome: Json | RelayerError) -> bytes | None:
        """The answer to `question`; None: the node does not give it, and `block_results` is to be asked for.

        Raises:
            EndpointUnavailable: the node does not answer.
            KeyError, TypeError, ValueError: the answer is no ABCI query's.
        """
        if isinstance(outcome, EndpointUnavailable):
            raise outcome
        response = {} if isinstance(outcome, RelayerError) else outcome["response"]
        value = read_base64(response.get("value"))
        if response.get("code") or not value:
            is_gone = (response.get("codespace"), response.get("code")) == _NOT_KEPT
            self._first = height + (APART if is_gone else SELDOM)
            return None
        return value

    def block(self, height: int, raw: Json, told: bytes) -> CommittedBlock:
        """The block of the answer `raw` to `block`, with the results `told`.

        Raises:
            ValueError, KeyError, TypeError, AttributeError, DecodeError: an answer is malformed, or they are
                of different blocks.
        """
        outcomes, events, app_hash = self.results(height, told)
        txs = zip(read_txs(raw), outcomes, strict=True)
        return read_header(raw)._replace(
            app_hash=app_hash, txs=tuple([each._replace(tx=tx) for tx, each in txs]), block_events=events
        )

    def results(self, height: int, told: bytes) -> "Results":
        """What an answer tells; raises ValueError, DecodeError: it is malformed, or of another block."""
        of, app_hash, results, events = native.read_results(told) or _by_protobuf(told)
        if of != height:
            raise ValueError(f"results of {of}")
        outcomes = [_outcome(each, self.without) for each in results]
        return Results(outcomes, besides(events, self.without), app_hash)


class Results(NamedTuple):
    """What a block did."""

    outcomes: list[TxOutcome]  # without the transactions
    events: tuple[Event, ...]  # of the begin and end of the block
    app_hash: bytes


def _outcome(of: tuple[Any, ...], without: Container[str]) -> TxOutcome:
    code, codespace, events, wanted, used, data, log = of
    return TxOutcome(b"", code, codespace, besides(events, without), wanted, used, data, log)


def _by_protobuf(told: bytes) -> tuple[Any, ...]:
    """As `native.read_results`; raises DecodeError."""
    answer = QueryBlockResultsResponse.FromString(told)
    results = [
        (of.code, of.codespace, _events(of.events), of.gas_wanted, of.gas_used, of.data, of.log)
        for of in answer.tx_results
    ]
    return answer.height, answer.app_hash, tuple(results), _events(answer.events)


def _events(of: Iterable[abci.Event]) -> tuple[Event, ...]:
    return tuple([(event.type, tuple([(each.key, each.value) for each in event.attributes])) for event in of])
