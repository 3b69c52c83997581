"""Packets that a message covers, decoded from the message, and its signer."""

from collections.abc import Iterable
from typing import NamedTuple

from google.protobuf.message import DecodeError, Message

from pyibc.apps.transfer.packet_data import VERSION
from pyibc.codec.anys import AnyMessage
from pyibc.codec.encoding import encode
from pyibc.core.packet_v2.types import JSON, Payload
from pyibc.proto.ibc.core.channel.v1 import tx_pb2 as channel
from pyibc.proto.ibc.core.channel.v2 import tx_pb2 as channel_v2
from pyibc.proto.ibc.core.client.v1 import tx_pb2 as client

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
_PERMISSIONLESS = {
    **_CLASSIC,
    **_V2,
    f"/{client.MsgUpdateClient.DESCRIPTOR.full_name}": client.MsgUpdateClient,
}
"""Messages that any account may send: their effect does not depend on the signer."""


class CoveredPacket(NamedTuple):
    """Packet that a message covers, by path and sequence."""

    path: str  # `port/channel>port/channel`, or `client>client`; the sender's end first
    sequence: int


def covered_packet(message: AnyMessage) -> CoveredPacket | None:
    """Return the packet that `message` delivers, acknowledges or times out; None for other messages."""
    try:
        if message.type_url in _CLASSIC:
            packet = _CLASSIC[message.type_url].FromString(message.value).packet
            source = f"{packet.source_port}/{packet.source_channel}"
            target = f"{packet.destination_port}/{packet.destination_channel}"
            return CoveredPacket(f"{source}>{target}", packet.sequence)
        if message.type_url in _V2:
            sent = _V2[message.type_url].FromString(message.value).packet
            return CoveredPacket(f"{sent.source_client}>{sent.destination_client}", sent.sequence)
    except DecodeError:
        return None
    return None


def packets_in(messages: Iterable[AnyMessage]) -> int:
    """Return the number of packets that messages cover."""
    return len({found for message in messages if (found := covered_packet(message))})


def payloads_of(message: AnyMessage) -> list[Payload]:
    """Return the payloads of the packet that `message` covers; on a channel its data as ICS-20 in JSON."""
    try:
        if message.type_url in _CLASSIC:
            packet = _CLASSIC[message.type_url].FromString(message.value).packet
            return [Payload(packet.source_port, packet.destination_port, VERSION, JSON, packet.data)]
        if message.type_url in _V2:
            sent = _V2[message.type_url].FromString(message.value).packet
            return [
                Payload(each.source_port, each.destination_port, each.version, each.encoding, each.value)
                for each in sent.payloads
            ]
    except DecodeError:
        return []
    return []


def is_permissionless(message: AnyMessage) -> bool:
    """Return whether any account may send the message."""
    return message.type_url in _PERMISSIONLESS


def with_signer(message: AnyMessage, signer: str) -> AnyMessage:
    """Return a permissionless message with another signer.

    Raises:
        DecodeError: the message is malformed.
    """
    made: Message = _PERMISSIONLESS[message.type_url].FromString(message.value)
    made.signer = signer  # type: ignore[attr-defined]
    return AnyMessage(message.type_url, encode(made))
