"""cosmos.tx.v1beta1.Service/Simulate: gas estimation for wallets."""

from collections.abc import Callable
from typing import TypeVar

from google.protobuf.message import DecodeError, Message

from ibc_core.errors import IbcError, InvalidSdkRequest
from ibc_core.host.block import TxOutcome
from ibc_core.numbers import MAX_U64
from ibc_core.wire.encoding import encode
from ibc_proto.cosmos.base.abci.v1beta1 import abci_pb2
from ibc_proto.cosmos.tx.v1beta1 import service_pb2

M = TypeVar("M", bound=Message)


def parse_request(kind: type[M], raw: bytes) -> M:
    """Decodes a request; raises InvalidSdkRequest."""
    try:
        return kind.FromString(raw)
    except DecodeError:
        raise InvalidSdkRequest(f"not a {kind.DESCRIPTOR.full_name}") from None


SIMULATE = "/cosmos.tx.v1beta1.Service/Simulate"


class SimulationFailed(IbcError):
    """The transaction would fail; `reason` is the log it would have in a block."""

    reason: str
    gas_used: int
    codespace = "sdk"
    code = 6  # ErrUnknownRequest: the SDK's code for status Unknown
    text = "{reason} with gas used: '{gas_used}'"  # the SDK's wording, which relayers parse


def simulate(run: Callable[[bytes], TxOutcome], request: bytes) -> bytes:
    """Simulates the request's transaction with `run`.

    Raises:
        InvalidSdkRequest: the request contains no transaction.
        SimulationFailed: the transaction would fail.
    """
    asked = parse_request(service_pb2.SimulateRequest, request)
    raw = asked.tx_bytes or (encode(asked.tx) if asked.HasField("tx") else b"")
    if not raw:
        raise InvalidSdkRequest("empty txBytes is not allowed")
    outcome = run(raw)
    if outcome.code:
        raise SimulationFailed(outcome.log, outcome.gas_used)
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
