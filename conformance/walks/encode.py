"""Encodes any message as Any, including those of IBC v2 and the authority."""

from typing import Any

from conformance.kit.encode import to_any as classic
from ibc_core import messages_v2
from ibc_core.messages import AnyMessage
from ibc_core.wire.encoding import encode
from ibc_core.wire.messages import client_v2, packet_v2
from ibc_module.apps.transfer.msg_update_params import UPDATE_PARAMS
from ibc_proto.ibc.applications.transfer.v1 import transfer_pb2, tx_pb2

_V2 = {
    messages_v2.MsgRegisterCounterparty: (
        client_v2.REGISTER_COUNTERPARTY,
        client_v2.encode_register_counterparty,
    ),
    messages_v2.MsgUpdateClientConfig: (client_v2.UPDATE_CONFIG, client_v2.encode_update_config),
    messages_v2.MsgSendPacket: (packet_v2.SEND_PACKET, packet_v2.encode_send_packet),
    messages_v2.MsgRecvPacketV2: (packet_v2.RECV_PACKET, packet_v2.encode_recv_packet),
    messages_v2.MsgAcknowledgementV2: (packet_v2.ACKNOWLEDGEMENT, packet_v2.encode_acknowledgement),
    messages_v2.MsgTimeoutV2: (packet_v2.TIMEOUT, packet_v2.encode_timeout),
}


def to_any(message: Any) -> AnyMessage:
    """The Any of a message of either protocol version; an Any is returned unchanged."""
    found: Any = _V2.get(type(message))
    return classic(message) if found is None else AnyMessage(found[0], found[1](message))


def transfer_params(send: bool, receive: bool, signer: str) -> AnyMessage:
    """The MsgUpdateParams of ICS-20."""
    params = transfer_pb2.Params(send_enabled=send, receive_enabled=receive)
    return AnyMessage(UPDATE_PARAMS, encode(tx_pb2.MsgUpdateParams(signer=signer, params=params)))
