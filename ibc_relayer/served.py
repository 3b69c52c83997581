"""Which packets a message serves, read from the message itself, and in whose name it is sent."""

from typing import NamedTuple

from google.protobuf.message import DecodeError, Message

from ibc_core.any_message import AnyMessage
from ibc_core.wire.encoding import encode
from ibc_proto.ibc.core.channel.v1 import tx_pb2 as channel
from ibc_proto.ibc.core.channel.v2 import tx_pb2 as channel_v2
from ibc_proto.ibc.core.client.v1 import tx_pb2 as client

_CLASSIC = {
    f"/{each.DESCRIPTOR.full_name}": each
    for each in (
        channel.MsgRecvPacket,
        channel.MsgAcknowledgement,
        channel.MsgTimeout,
        channel.MsgTimeoutOnClose,
    )
}
_V2 = {
    f"/{each.DESCRIPTOR.full_name}": each
    for each in (channel_v2.MsgRecvPacket, channel_v2.MsgAcknowledgement, channel_v2.MsgTimeout)
}
_ANYBODYS = {**_CLASSIC, **_V2, f"/{client.MsgUpdateClient.DESCRIPTOR.full_name}": client.MsgUpdateClient}
"""Messages that any account may send: nothing of the chain depends on their signer."""


class Served(NamedTuple):
    """A packet, by the path it takes and its sequence."""

    path: str  # `port/channel>port/channel`, or `client>client`; the sender's end first
    sequence: int


def served_by(message: AnyMessage) -> Served | None:
    """The packet that `message` delivers, acknowledges or times out; None where it serves none."""
    try:
        if message.type_url in _CLASSIC:
            packet = _CLASSIC[message.type_url].FromString(message.value).packet
            source = f"{packet.source_port}/{packet.source_channel}"
            target = f"{packet.destination_port}/{packet.destination_channel}"
            return Served(f"{source}>{target}", packet.sequence)
        if message.type_url in _V2:
            sent = _V2[message.type_url].FromString(message.value).packet
            return Served(f"{sent.source_client}>{sent.destination_client}", sent.sequence)
    except DecodeError:
        return None
    return None


def is_anybodys(message: AnyMessage) -> bool:
    """Whether any account may send it."""
    return message.type_url in _ANYBODYS


def in_name_of(message: AnyMessage, signer: str) -> AnyMessage:
    """`message`, which is anybody's, with another signer.

    Raises:
        DecodeError: it is malformed.
    """
    made: Message = _ANYBODYS[message.type_url].FromString(message.value)
    made.signer = signer  # type: ignore[attr-defined]
    return AnyMessage(message.type_url, encode(made))
