"""Results of a block's execution (CometBFT 0.38), to which the next header commits, and their data."""

from collections.abc import Iterable

from ibc_core.any_message import AnyMessage
from ibc_core.host.block import TxOutcome
from ibc_core.host.events import Event
from ibc_core.wire.encoding import encode
from ibc_proto.cosmos.base.abci.v1beta1 import abci_pb2
from ibc_proto.tendermint.abci import types_pb2


def encode_deterministic_result(code: int, data: bytes, gas_wanted: int, gas_used: int) -> bytes:
    """`ExecTxResult` with the four fields that nodes must agree on.

    A header's `last_results_hash` is the Merkle root of these, one a transaction of the block before
    (CometBFT `types/results.go`). Events, log and codespace are left out.
    """
    return encode(types_pb2.ExecTxResult(code=code, data=data, gas_wanted=gas_wanted, gas_used=gas_used))


def encode_tx_msg_data(responses: Iterable[AnyMessage]) -> bytes:
    """`TxMsgData`, the data of a successful transaction: the response of each message."""
    data = abci_pb2.TxMsgData()
    for response in responses:
        data.msg_responses.add(type_url=response.type_url, value=response.value)
    return encode(data)


def pack_result(outcome: TxOutcome) -> types_pb2.ExecTxResult:
    """`ExecTxResult` as `FinalizeBlock` returns it, with events, log and codespace."""
    return types_pb2.ExecTxResult(
        code=outcome.code,
        data=outcome.data,
        log=outcome.log,
        gas_wanted=outcome.gas_wanted,
        gas_used=outcome.gas_used,
        events=[pack_event(event) for event in outcome.events],
        codespace=outcome.codespace,
    )


def pack_event(event: Event) -> types_pb2.Event:
    """An event as CometBFT takes it, every attribute indexed."""
    kind, attributes = event
    packed = types_pb2.Event(type=kind)
    for key, text in attributes:
        packed.attributes.add(key=key, value=text, index=True)
    return packed


def unpack_event(event: types_pb2.Event) -> Event:
    """An event as a value."""
    return event.type, tuple([(attribute.key, attribute.value) for attribute in event.attributes])
