"""Gas estimation by simulation (cosmos.tx.v1beta1.Service/Simulate).

A transaction whose simulation fails is not broadcast, since its fee would be lost.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from google.protobuf.message import Message

from pyibc.core.errors import IbcError, OutOfGas
from pyibc.core.host.block import TxOutcome
from pyibc.proto.cosmos.tx.v1beta1 import service_pb2
from pyibc.relayer.chain.failure_texts import CODESPACE, failure_of
from pyibc.relayer.chain.values import Query
from pyibc.relayer.errors import EndpointUnavailable, MalformedAnswer
from pyibc.relayer.rpc.reading import read_answer

if TYPE_CHECKING:  # loaded by `RpcConfig` alone, which can leave them out
    from pyibc.relayer.rpc.node_queries import GasEstimates

SIMULATE = "/cosmos.tx.v1beta1.Service/Simulate"


class Estimate(NamedTuple):
    """Result of a simulation."""

    gas: int | None  # None: simulation is not available
    refusal: TxOutcome | None = None  # failure of the simulated transaction


UNKNOWN = Estimate(None)


class Simulator:
    """Simulator of transactions on one chain. For any thread."""

    def __init__(self, estimates: "GasEstimates | None" = None) -> None:
        """Create a simulator; `estimates` is a cheaper query of the same, which is tried first."""
        self._estimates = estimates

    def simulate(self, query: Query, raw: bytes) -> Estimate:
        """Simulate the transaction `raw`; its signature need not be valid.

        Raises:
            EndpointUnavailable: the node does not answer.
        """
        estimates = self._estimates
        if estimates is not None and estimates.should_query():
            found = _query_gas(query, estimates.path, estimates.request(raw), estimates.decode)
            if found is not UNKNOWN:
                return found
            estimates.back_off()
        return _query_gas(query, SIMULATE, service_pb2.SimulateRequest(tx_bytes=raw), _simulated_gas)


def _simulated_gas(answer: bytes) -> int:
    return service_pb2.SimulateResponse.FromString(answer).gas_info.gas_used


def _query_gas(query: Query, path: str, request: Message, read: Callable[[bytes], int]) -> Estimate:
    try:
        answer = query(path, request.SerializeToString())
        # guard: h241-a-simulation-that-is-none-is-passed-over drop:report_malformed
        #   test_h241_a_simulation_that_is_none_is_told_and_taken_for_none
        gas = read_answer(CODESPACE, path, lambda: read(answer), query.report_malformed)
    except EndpointUnavailable:
        raise
    except MalformedAnswer:
        return UNKNOWN
    except IbcError as error:  # EndpointRefused by RPC, the chain's own error in process
        failure = failure_of(str(error))
        return UNKNOWN if failure is None else Estimate(None, failure)
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
