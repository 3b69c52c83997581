"""cosmos.tx.v1beta1.Service/Simulate: what a transaction would use, as relayers ask before they sign."""

from collections.abc import Callable

from ibc_module.core.block import TxOutcome
from ibc_module.errors import InvalidSdkRequest
from ibc_module.wire._generated.cosmos.tx.v1beta1 import service_pb2
from ibc_module.wire.abci import pack_event
from ibc_module.wire.encoding import encode
from localnet.host.requests import parse_request

SIMULATE = "/cosmos.tx.v1beta1.Service/Simulate"


def simulate(run: Callable[[bytes], TxOutcome], request: bytes) -> bytes:
    """Runs the request's transaction by `run`, which leaves no trace.

    Raises:
        InvalidSdkRequest: the transaction would fail; the text says why.
    """
    outcome = run(parse_request(service_pb2.SimulateRequest, request).tx_bytes)
    if outcome.code:
        raise InvalidSdkRequest(f"{outcome.codespace}/{outcome.code}: {outcome.log}")
    response = service_pb2.SimulateResponse()
    response.gas_info.gas_wanted = outcome.gas_wanted
    response.gas_info.gas_used = outcome.gas_used
    response.result.data = outcome.data
    response.result.events.extend([pack_event(event) for event in outcome.events])
    return encode(response)
