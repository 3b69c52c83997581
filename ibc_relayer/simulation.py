"""The gas a transaction needs, by the chain's own simulation (cosmos.tx.v1beta1.Service/Simulate).

Our own nodes tell the gas alone (pyibc.node.v1.Query/EstimateGas); Simulate tells all that would happen.
A transaction that would fail is not sent: its failure would be paid for.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from google.protobuf.message import Message

from ibc_core.errors import (
    ClientNotActive,
    DelayPeriodNotPassed,
    HeaderExpired,
    HeaderFromFuture,
    IbcError,
    NotEnoughTrust,
    OutOfGas,
    WrongSequence,
)
from ibc_core.host.block import TxOutcome
from ibc_core.wire.deflated import deflate
from ibc_proto.cosmos.tx.v1beta1 import service_pb2
from ibc_proto.pyibc.node.v1.query_pb2 import QueryEstimateGasRequest, QueryEstimateGasResponse
from ibc_relayer.errors import EndpointUnavailable, MalformedAnswer
from ibc_relayer.fees import Query
from ibc_relayer.rpc_read import read_answer
from ibc_relayer.seldom import Seldom

ESTIMATE_GAS = "/pyibc.node.v1.Query/EstimateGas"
SIMULATE = "/cosmos.tx.v1beta1.Service/Simulate"

WOULD_FAIL = "gas used: '"
"""What every SDK since 0.40 writes of a transaction that fails when simulated, and of nothing else."""

CODESPACE = "simulation"
"""Of a failure that is not in `_TAILS`: the SDK answers with the text alone."""


def _code(kind: type[IbcError]) -> tuple[str, int]:
    return kind.codespace, kind.code


_TAILS = (
    (_code(WrongSequence), "incorrect account sequence"),
    (_code(HeaderExpired), r"trusted header of -?\d+ ns expired at -?\d+ ns"),
    (_code(HeaderFromFuture), r"header time -?\d+ ns is beyond now -?\d+ ns \+ drift \d+ ns"),
    (_code(HeaderExpired), r"old header has expired at [^()]{1,80} \(now: [^()]{1,80}\)"),
    (
        _code(HeaderFromFuture),
        r"has a time from the future [^()]{1,80} \(now: [^()]{1,80}; max clock drift: \w{1,24}\)",
    ),
    (_code(NotEnoughTrust), r"trusted validators signed with power \d+, more than \d+ needed"),
    (_code(DelayPeriodNotPassed), "packet-specified delay period has not been reached"),
    (_code(DelayPeriodNotPassed), r"delay period not passed: until [\w -]{1,64}, now [\w -]{1,64}"),
    (_code(ClientNotActive), "client state is not active"),
    (_code(ClientNotActive), r"client [\w-]{1,64} is \w{1,16}, not Active"),
    (("queue", 10), r"out of order: \d+, expected \d+"),
    (("queue", 28), r"packet \d+ is not in the queue"),
    (("queue", 18), r"cannot advance to \d+, the head is \d+"),
)
"""Codes of failures with an answer of their own (`ibc_relayer.outcomes`), by how ibc-go's and our texts end.

What stands before the end may be a contract's words, and thereby of whoever sent the packet. Queues are an
option, which is not loaded for their errors' sake.
"""
_KNOWN = tuple((code, re.compile(rf"(?:.*\W)?{tail}", re.ASCII | re.DOTALL)) for code, tail in _TAILS)
_PLACE = re.compile(r" \[[^\[\]]{1,200}\]\Z")
"""Where in the SDK's sources an error was made."""
_EXPECTED = re.compile(r"account sequence mismatch, expected (\d{1,20}),", re.ASCII)


class Estimate(NamedTuple):
    """What a simulation said."""

    gas: int | None  # None: the chain does not simulate
    refusal: TxOutcome | None = None  # the transaction would fail


UNKNOWN = Estimate(None)


class Simulator:
    """Simulates on one chain. For any thread."""

    def __init__(self) -> None:
        """Nothing is known of the chain."""
        self._short = Seldom()

    def simulate(self, query: Query, raw: bytes) -> Estimate:
        """Simulates the transaction `raw`, whose signature need not be valid.

        Raises:
            EndpointUnavailable: the node does not answer.
        """
        if self._short.asks():
            request = QueryEstimateGasRequest(deflated_tx=deflate(raw))
            found = _asked(query, ESTIMATE_GAS, request, _gas_alone)
            if found is not UNKNOWN:
                return found
            self._short.refused()
        return _asked(query, SIMULATE, service_pb2.SimulateRequest(tx_bytes=raw), _gas_of_all)


def _gas_alone(answer: bytes) -> int:
    return QueryEstimateGasResponse.FromString(answer).gas_used


def _gas_of_all(answer: bytes) -> int:
    return service_pb2.SimulateResponse.FromString(answer).gas_info.gas_used


def _asked(query: Query, path: str, request: Message, read: Callable[[bytes], int]) -> Estimate:
    try:
        answer = query(path, request.SerializeToString())
        # guard: h241-a-simulation-that-is-none-is-passed-over drop:query
        #   test_h241_a_simulation_that_is_none_is_told_and_taken_for_none
        gas = read_answer(CODESPACE, path, lambda: read(answer), query)
    except EndpointUnavailable:
        raise
    except MalformedAnswer:
        return UNKNOWN
    except IbcError as error:  # by RPC EndpointRefused; in process the chain's own
        said = str(error)
        # A fee of one unit is too little only where simulations look at prices: then they say nothing of gas.
        fails = WOULD_FAIL in said and not _end(said).endswith("insufficient fee")
        return Estimate(None, _failure(said)) if fails else UNKNOWN
    return Estimate(gas) if gas else UNKNOWN


def needs_more(limit: int) -> TxOutcome:
    """The outcome of a transaction that is not sent, since it needs more gas than one may have."""
    log = f"not sent: it needs more gas than the {limit} that a transaction may have"
    return TxOutcome(b"", OutOfGas.code, OutOfGas.codespace, (), 0, 0, log=log)


LIMIT, TOO_DEAR = "relayer-limit", 2
"""Codespace and code of a transaction that is not sent for its price (`ibc_relayer.outcomes`)."""


def too_dear(fee: int, packets: int, limit: int, gas: int) -> TxOutcome:
    """The outcome of a transaction that is not sent, since it costs more than its packets may.

    Args:
        fee: What it would have offered.
        packets: That it serves.
        limit: Of the fee, for each packet.
        gas: That it would have been allowed to use.
    """
    log = f"not sent: a fee of {fee} for {packets} packets, at most {limit} each"
    return TxOutcome(b"", TOO_DEAR, LIMIT, (), gas, 0, log=log)


def expected_sequence(log: str) -> int | None:
    """The sequence that a chain expects, by the text of its refusal; None where it does not say."""
    found = _EXPECTED.search(log)
    return int(found[1]) if found else None


def _failure(said: str) -> TxOutcome:
    end = _end(said)
    # guard: h152-a-contract-s-words {pattern.fullmatch(end) => re.search(pattern.pattern, said)}
    #   test_h152_no_words_of_a_contract_are_taken_for_the_chain_s
    known = (code for code, pattern in _KNOWN if pattern.fullmatch(end))
    codespace, code = next(known, (CODESPACE, 1))
    return TxOutcome(b"", code, codespace, (), 0, 0, log=f"not sent, simulated: {said[:1000]}")


def _end(said: str) -> str:
    """The last words of the error itself."""
    return _PLACE.sub("", said.rpartition(f" with {WOULD_FAIL}")[0])[-600:]
