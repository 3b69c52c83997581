"""Packets that a message covers, decoded from the message, and its signer."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from google.protobuf.message import DecodeError, Message

from pyibc.apps.transfer.packet_data import VERSION
from pyibc.codec.anys import AnyMessage
from pyibc.codec.encoding import encode
from pyibc.core.packet_v2.types import JSON, Payload
from pyibc.proto.ibc.core.channel.v1 import tx_pb2 as channel
from pyibc.proto.ibc.core.channel.v2 import tx_pb2 as channel_v2
from pyibc.proto.ibc.core.client.v1 import tx_pb2 as client


def _by_type_url(*kinds: type[Message]) -> dict[str, type[Message]]:
    return {f"/{each.DESCRIPTOR.full_name}": each for each in kinds}


_CLASSIC = _by_type_url(
    channel.MsgRecvPacket, channel.MsgAcknowledgement, channel.MsgTimeout, channel.MsgTimeoutOnClose
)
_V2 = _by_type_url(channel_v2.MsgRecvPacket, channel_v2.MsgAcknowledgement, channel_v2.MsgTimeout)
_PERMISSIONLESS = {**_CLASSIC, **_V2, **_by_type_url(client.MsgUpdateClient)}
"""Messages that any account may send: their effect does not depend on the signer."""


class CoveredPacket(NamedTuple):
    """Packet that a message covers, by path and sequence."""

    path: str  # `port/channel>port/channel`, or `client>client`; the sender's end first
    sequence: int


def covered_packet(message: AnyMessage) -> CoveredPacket | None:
    """Return the packet that `message` delivers, acknowledges or times out; None for other messages."""
    packet = _packet(message)
    if packet is None:
        return None
    if message.type_url in _V2:
        return CoveredPacket(f"{packet.source_client}>{packet.destination_client}", packet.sequence)
    source = f"{packet.source_port}/{packet.source_channel}"
    target = f"{packet.destination_port}/{packet.destination_channel}"
    return CoveredPacket(f"{source}>{target}", packet.sequence)


def packets_in(messages: Iterable[AnyMessage]) -> int:
    """Return the number of packets that messages cover."""
    return len({found for message in messages if (found := covered_packet(message))})


def payloads_of(message: AnyMessage) -> list[Payload]:
    """Return the payloads of the packet that `message` covers; on a channel its data as ICS-20 in JSON."""
    packet = _packet(message)
    if packet is None:
        return []
    if message.type_url in _V2:
        return [
            Payload(each.source_port, each.destination_port, each.version, each.encoding, each.value)
            for each in packet.payloads
        ]
    return [Payload(packet.source_port, packet.destination_port, VERSION, JSON, packet.data)]


def _packet(message: AnyMessage) -> Any:
    """Return the packet in a message of a channel or a pair of clients; None: there is none."""
    kind: Any = _CLASSIC.get(message.type_url) or _V2.get(message.type_url)
    try:
        return None if kind is None else kind.FromString(message.value).packet
    except DecodeError:
        return None


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
