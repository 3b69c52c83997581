"""Responses of the Msg services. A response without fields is `EMPTY`."""

from ibc_core.packet.outcome import Outcome
from ibc_core.wire.encoding import encode
from ibc_proto.ibc.applications.transfer.v1 import tx_pb2 as transfer_tx
from ibc_proto.ibc.core.channel.v1 import tx_pb2 as channel_tx
from ibc_proto.ibc.core.client.v1 import tx_pb2 as client_tx

EMPTY = b""

_PACKET = {
    outcome: channel_tx.MsgRecvPacketResponse(result=outcome.value).SerializeToString() for outcome in Outcome
}


def response_type_url(message_type_url: str) -> str:
    """The type URL of a message's response."""
    return message_type_url + "Response"


def packet_response(outcome: Outcome) -> bytes:
    """The response of every packet message: `MsgRecvPacketResponse` and its likes have one shape."""
    return _PACKET[outcome]


def create_client_response(client_id: str) -> bytes:
    """`MsgCreateClientResponse`."""
    return encode(client_tx.MsgCreateClientResponse(client_id=client_id))


def channel_open_init_response(channel_id: str, version: str) -> bytes:
    """`MsgChannelOpenInitResponse`."""
    return encode(channel_tx.MsgChannelOpenInitResponse(channel_id=channel_id, version=version))


def channel_open_try_response(channel_id: str, version: str) -> bytes:
    """`MsgChannelOpenTryResponse`."""
    return encode(channel_tx.MsgChannelOpenTryResponse(channel_id=channel_id, version=version))


def transfer_response(sequence: int) -> bytes:
    """`MsgTransferResponse`."""
    return encode(transfer_tx.MsgTransferResponse(sequence=sequence))
