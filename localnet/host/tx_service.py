"""Simulations: cosmos.tx.v1beta1.Service/Simulate, and pyibc.node.v1.Query/EstimateGas for gas alone.

What a relayed packet would do is 6 kB of events, which CometBFT would write in JSON and no relayer reads.
"""

from typing import Protocol, TypeVar

from google.protobuf.message import DecodeError, Message

from ibc_core.errors import IbcError, InvalidSdkRequest
from ibc_core.host.block import TxOutcome
from ibc_core.numbers import MAX_U64
from ibc_core.wire.deflated import NotDeflated, inflate
from ibc_core.wire.encoding import encode
from ibc_proto.cosmos.base.abci.v1beta1 import abci_pb2
from ibc_proto.cosmos.tx.v1beta1 import service_pb2
from ibc_proto.pyibc.node.v1.query_pb2 import QueryEstimateGasRequest, QueryEstimateGasResponse

M = TypeVar("M", bound=Message)


def parse_request(kind: type[M], raw: bytes) -> M:
    """Decodes a request; raises InvalidSdkRequest."""
    try:
        return kind.FromString(raw)
    except DecodeError:
        raise InvalidSdkRequest(f"not a {kind.DESCRIPTOR.full_name}") from None


SIMULATE = "/cosmos.tx.v1beta1.Service/Simulate"
MOST_INFLATED = 2 * 1024 * 1024
"""Bytes of a transaction that is given deflated: twice what a mempool takes where nobody has changed it."""
ESTIMATE_GAS = "/pyibc.node.v1.Query/EstimateGas"


class Run(Protocol):
    """Runs a transaction, which changes nothing."""

    def __call__(self, raw: bytes, /, *, tells_events: bool) -> TxOutcome:
        """What it would do."""


class SimulationFailed(IbcError):
    """The transaction would fail; `reason` is the log it would have in a block."""

    reason: str
    gas_used: int
    codespace = "sdk"
    code = 6  # ErrUnknownRequest: the SDK's code for status Unknown
    text = "{reason} with gas used: '{gas_used}'"  # the SDK's wording, which relayers parse


def simulate(run: Run, request: bytes) -> bytes:
    """Simulates the request's transaction with `run`.

    Raises:
        InvalidSdkRequest: the request contains no transaction.
        SimulationFailed: the transaction would fail.
    """
    asked = parse_request(service_pb2.SimulateRequest, request)
    raw = asked.tx_bytes or (encode(asked.tx) if asked.HasField("tx") else b"")
    outcome = _succeeding(run, raw, tells_events=True)
    response = service_pb2.SimulateResponse()
    response.gas_info.gas_wanted = MAX_U64  # as the SDK: a simulation has no limit
    response.gas_info.gas_used = outcome.gas_used
    response.result.data = outcome.data
    for kind, attributes in outcome.events:
        event = response.result.events.add(type=kind)
        for key, text in attributes:
            event.attributes.add(key=key, value=text)  # without `index`: nothing is indexed
    response.result.msg_responses.extend(abci_pb2.TxMsgData.FromString(outcome.data).msg_responses)
    return encode(response)


def estimate_gas(run: Run, request: bytes) -> bytes:
    """The gas that the request's transaction uses with `run`.

    Raises:
        InvalidSdkRequest: the request contains no transaction, or one that is deflated wrongly, or too large.
        SimulationFailed: the transaction would fail.
    """
    asked = parse_request(QueryEstimateGasRequest, request)
    outcome = _succeeding(run, asked.tx or _inflated(asked.deflated_tx), tells_events=False)
    return encode(QueryEstimateGasResponse(gas_used=outcome.gas_used))


def _inflated(deflated: bytes) -> bytes:
    """What was deflated, `MOST_INFLATED` bytes at most: else a stranger has a gigabyte made of a megabyte."""
    try:
        return inflate(deflated, MOST_INFLATED) if deflated else b""
    except NotDeflated as error:
        raise InvalidSdkRequest(f"deflated_tx: {error}") from None


def _succeeding(run: Run, raw: bytes, *, tells_events: bool) -> TxOutcome:
    if not raw:
        raise InvalidSdkRequest("empty txBytes is not allowed")
    outcome = run(raw, tells_events=tells_events)
    if outcome.code:
        raise SimulationFailed(outcome.log, outcome.gas_used)
    return outcome


SIMULATIONS = {SIMULATE: simulate, ESTIMATE_GAS: estimate_gas}
"""By gRPC method."""
