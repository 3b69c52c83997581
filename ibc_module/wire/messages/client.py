"""Client messages (ICS-2)."""

from google.protobuf import any_pb2

from ibc_module.core.messages import AnyMessage, MsgCreateClient, MsgUpdateClient
from ibc_module.wire._generated.google.protobuf import any_pb2 as own_any_pb2
from ibc_module.wire._generated.ibc.core.client.v1 import tx_pb2
from ibc_module.wire.anys import EMPTY
from ibc_module.wire.encoding import encode
from ibc_module.wire.strict import parse

CREATE = "/ibc.core.client.v1.MsgCreateClient"
UPDATE = "/ibc.core.client.v1.MsgUpdateClient"


def decode_create(raw: bytes) -> MsgCreateClient:
    """`MsgCreateClient`.

    Raises:
        TxDecode: `raw` is refused; also when an Any holds no known client or consensus state.
    """
    wire = parse(tx_pb2.MsgCreateClient, raw)
    return MsgCreateClient(
        _unpack(wire.client_state) if wire.HasField("client_state") else EMPTY,
        _unpack(wire.consensus_state) if wire.HasField("consensus_state") else EMPTY,
        wire.signer,
    )


def encode_create(msg: MsgCreateClient) -> bytes:
    """`MsgCreateClient`."""
    return encode(
        tx_pb2.MsgCreateClient(
            client_state=_pack(msg.client_state),
            consensus_state=_pack(msg.consensus_state),
            signer=msg.signer,
        )
    )


def decode_update(raw: bytes) -> MsgUpdateClient:
    """`MsgUpdateClient`.

    Raises:
        TxDecode: `raw` is refused; also when the Any holds no known header or misbehaviour.
    """
    wire = parse(tx_pb2.MsgUpdateClient, raw)
    message = _unpack(wire.client_message) if wire.HasField("client_message") else EMPTY
    return MsgUpdateClient(wire.client_id, message, wire.signer)


def encode_update(msg: MsgUpdateClient) -> bytes:
    """`MsgUpdateClient`."""
    return encode(
        tx_pb2.MsgUpdateClient(
            client_id=msg.client_id, client_message=_pack(msg.client_message), signer=msg.signer
        )
    )


def _unpack(packed: any_pb2.Any) -> AnyMessage:
    return AnyMessage(packed.type_url, packed.value)


def _pack(packed: AnyMessage) -> any_pb2.Any | None:
    if packed == EMPTY:
        return None
    return own_any_pb2.Any(type_url=packed.type_url, value=packed.value)
