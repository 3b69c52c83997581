"""Gas estimation by simulation (cosmos.tx.v1beta1.Service/Simulate).

pyibc nodes also support pyibc.node.v1.Query/EstimateGas, whose response has no events. A transaction whose
simulation fails is not broadcast, since its fee would be lost.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from google.protobuf.message import Message

from pyibc.core.comet.compression import deflate
from pyibc.core.errors import (
    ClientNotActive,
    DelayPeriodNotPassed,
    HeaderExpired,
    HeaderFromFuture,
    IbcError,
    NotEnoughTrust,
    OutOfGas,
    WrongSequence,
)
from pyibc.core.host.block import TxOutcome
from pyibc.proto.cosmos.tx.v1beta1 import service_pb2
from pyibc.proto.pyibc.node.v1.query_pb2 import QueryEstimateGasRequest, QueryEstimateGasResponse
from pyibc.relayer.chain.grpc_query import QuerySupport
from pyibc.relayer.errors import EndpointUnavailable, MalformedAnswer
from pyibc.relayer.money.fees import Query
from pyibc.relayer.rpc.reading import read_answer

ESTIMATE_GAS = "/pyibc.node.v1.Query/EstimateGas"
SIMULATE = "/cosmos.tx.v1beta1.Service/Simulate"

WOULD_FAIL = "gas used: '"
"""Text that SDK 0.40 and later add to the error of a failed simulation, and to no other error."""

CODESPACE = "simulation"
"""Codespace of a failure that is not in `_ERROR_ENDS`; the SDK returns no codespace and code, only a text."""


def _code(kind: type[IbcError]) -> tuple[str, int]:
    return kind.codespace, kind.code


_ERROR_ENDS = (
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
"""Codespace and code of failures that the relayer handles (`links.outcomes`), by the end of the error text.

Only the end of a text is matched: a contract, and so the packet sender, may control what precedes it. The
codes of queues are literals, so that the optional package is not imported.
"""
_KNOWN = tuple((code, re.compile(rf"(?:.*\W)?{tail}", re.ASCII | re.DOTALL)) for code, tail in _ERROR_ENDS)
_SOURCE_LOCATION = re.compile(r" \[[^\[\]]{1,200}\]\Z")
"""Source location that the SDK appends to an error."""
_EXPECTED = re.compile(r"account sequence mismatch, expected (\d{1,20}),", re.ASCII)


class Estimate(NamedTuple):
    """Result of a simulation."""

    gas: int | None  # None: simulation is not available
    refusal: TxOutcome | None = None  # failure of the simulated transaction


UNKNOWN = Estimate(None)


class Simulator:
    """Simulator of transactions on one chain. For any thread."""

    def __init__(self) -> None:
        """Create a simulator that tries EstimateGas first."""
        self._gas_query = QuerySupport()

    def simulate(self, query: Query, raw: bytes) -> Estimate:
        """Simulate the transaction `raw`; its signature need not be valid.

        Raises:
            EndpointUnavailable: the node does not answer.
        """
        if self._gas_query.should_try():
            request = QueryEstimateGasRequest(deflated_tx=deflate(raw))
            found = _query_gas(query, ESTIMATE_GAS, request, _estimated_gas)
            if found is not UNKNOWN:
                return found
            self._gas_query.record_refusal()
        return _query_gas(query, SIMULATE, service_pb2.SimulateRequest(tx_bytes=raw), _simulated_gas)


def _estimated_gas(answer: bytes) -> int:
    return QueryEstimateGasResponse.FromString(answer).gas_used


def _simulated_gas(answer: bytes) -> int:
    return service_pb2.SimulateResponse.FromString(answer).gas_info.gas_used


def _query_gas(query: Query, path: str, request: Message, read: Callable[[bytes], int]) -> Estimate:
    try:
        answer = query(path, request.SerializeToString())
        # guard: h241-a-simulation-that-is-none-is-passed-over drop:query
        #   test_h241_a_simulation_that_is_none_is_told_and_taken_for_none
        gas = read_answer(CODESPACE, path, lambda: read(answer), query)
    except EndpointUnavailable:
        raise
    except MalformedAnswer:
        return UNKNOWN
    except IbcError as error:  # EndpointRefused by RPC, the chain's own error in process
        text = str(error)
        # The simulated fee is one unit: a chain that checks fees in simulations gives no gas estimate.
        fails = WOULD_FAIL in text and not _end(text).endswith("insufficient fee")
        return Estimate(None, _failure(text)) if fails else UNKNOWN
    return Estimate(gas) if gas else UNKNOWN


def exceeds_gas_limit(limit: int) -> TxOutcome:
    """Return the outcome of a transaction that is not sent, since it needs more gas than the limit."""
    log = f"not sent: it needs more than the gas limit of {limit} per transaction"
    return TxOutcome(b"", OutOfGas.code, OutOfGas.codespace, (), 0, 0, log=log)


LIMIT_CODESPACE, FEE_LIMIT_CODE = "relayer-limit", 2
"""Codespace and code of a transaction that is not sent because of its fee (`links.outcomes`)."""


def too_expensive(fee: int, packets: int, limit: int, gas: int) -> TxOutcome:
    """Return the outcome of a transaction that is not sent, since its fee per packet exceeds the limit.

    Args:
        fee: the fee of the transaction.
        packets: the number of its packets.
        limit: the maximum fee per packet.
        gas: the gas limit of the transaction.
    """
    log = f"not sent: fee {fee} for {packets} packets, above the limit of {limit} per packet"
    return TxOutcome(b"", FEE_LIMIT_CODE, LIMIT_CODESPACE, (), gas, 0, log=log)


def expected_sequence(log: str) -> int | None:
    """Return the account sequence that an SDK error text names as expected; None: it names none."""
    found = _EXPECTED.search(log)
    return int(found[1]) if found else None


def _failure(text: str) -> TxOutcome:
    end = _end(text)
    # guard: h152-a-contract-s-words {pattern.fullmatch(end) => re.search(pattern.pattern, text)}
    #   test_h152_no_words_of_a_contract_are_taken_for_the_chain_s
    known = (code for code, pattern in _KNOWN if pattern.fullmatch(end))
    codespace, code = next(known, (CODESPACE, 1))
    return TxOutcome(b"", code, codespace, (), 0, 0, log=f"not sent, simulation failed: {text[:1000]}")


def _end(text: str) -> str:
    """Return the end of the error text, before the additions of the SDK."""
    return _SOURCE_LOCATION.sub("", text.rpartition(f" with {WOULD_FAIL}")[0])[-600:]
