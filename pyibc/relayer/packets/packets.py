"""Packets of both protocol versions: channel ends, store keys, commitments, timeouts.

Channels carry `Packet`, pairs of clients `PacketV2`. The rest of the relayer treats both alike.
"""

from collections.abc import Callable, Iterable, Iterator, Set
from typing import Any, NamedTuple

from google.protobuf.message import DecodeError, Message

from pyibc.apps.transfer.packet_data import VERSION
from pyibc.codec.anys import AnyMessage
from pyibc.codec.encoding import encode
from pyibc.core import paths
from pyibc.core.errors import InvalidPacket, InvalidPacketV2
from pyibc.core.height import ZERO_HEIGHT, Height, parse_height
from pyibc.core.host.block import Event
from pyibc.core.packet import types as v1
from pyibc.core.packet.acknowledgement import parse
from pyibc.core.packet.events import PacketEvent, read_packet_event
from pyibc.core.packet.types import Packet, timeout_elapsed
from pyibc.core.packet_v2 import types as v2
from pyibc.core.packet_v2.events import PacketEventV2, read_packet_event_v2
from pyibc.core.packet_v2.types import JSON, PacketV2, Payload, decode_acknowledgement
from pyibc.proto.ibc.core.channel.v1 import tx_pb2 as channel
from pyibc.proto.ibc.core.channel.v2 import tx_pb2 as channel_v2
from pyibc.proto.ibc.core.client.v1 import tx_pb2 as client
from pyibc.relayer.paths.path import AnyPath, ClientPath, EndName, Side, other

AnyPacket = Packet | PacketV2
AnyPacketEvent = PacketEvent | PacketEventV2
EventKey = tuple[str, EndName, int]
"""Event type, source end, sequence."""
UNREADABLE = (InvalidPacket, InvalidPacketV2)
"""Errors of `read_event`."""

Columns = tuple[bytes, str, str]
"""Packet in the journal: data, timeout height, timeout timestamp (nanoseconds); v2: the packet alone."""


def read_event(event: Event) -> AnyPacketEvent | None:
    """Decode a packet event of either version; None if it is another event.

    Raises:
        InvalidPacket, InvalidPacketV2: the event is a packet event that cannot be decoded.
    """
    return read_packet_event(event) or read_packet_event_v2(event)


def readable_events(events: Iterable[Event]) -> Iterator[AnyPacketEvent]:
    """Yield the packet events in order, without those that cannot be decoded."""
    for event in events:
        try:
            observed = read_event(event)
        except UNREADABLE:
            continue
        if observed is not None:
            yield observed


def event_keys(events: Iterable[Event], kinds: Set[str]) -> Iterator[EventKey]:
    """Yield the keys of packet events of these `kinds`, without those that cannot be decoded."""
    for observed in readable_events(event for event in events if event[0] in kinds):
        yield observed.kind, name_on_a(observed.packet), observed.packet.sequence


def name_on_a(packet: AnyPacket) -> EndName:
    """Return the packet's source end."""
    if isinstance(packet, PacketV2):
        return (packet.client_id_on_a,)
    return packet.port_id_on_a, packet.channel_id_on_a


def name_on_b(packet: AnyPacket) -> EndName:
    """Return the packet's destination end."""
    if isinstance(packet, PacketV2):
        return (packet.client_id_on_b,)
    return packet.port_id_on_b, packet.channel_id_on_b


def elapsed(packet: AnyPacket, height: Height, time_ns: int) -> bool:
    """Return whether the packet has timed out at this height and time (unix nanoseconds) of chain B."""
    if isinstance(packet, PacketV2):
        return time_ns // v2.NS_PER_S >= packet.timeout_s_on_b
    return timeout_elapsed(packet.timeout_height_on_b, packet.timeout_ns_on_b, height, time_ns)


def commitment_key(packet: AnyPacket) -> bytes:
    """Return the key of the packet commitment on chain A."""
    return commitment_key_of(name_on_a(packet), packet.sequence)


def receipt_key(packet: AnyPacket) -> bytes:
    """Return the key of the packet receipt on chain B; not for ordered channels."""
    return receipt_key_of(name_on_b(packet), packet.sequence)


def acknowledgement_key(packet: AnyPacket) -> bytes:
    """Return the key of the acknowledgement commitment on chain B."""
    return acknowledgement_key_of(name_on_b(packet), packet.sequence)


def commitment_key_of(end: EndName, sequence: int) -> bytes:
    """Return `commitment_key` of a packet by its source end."""
    return _key(paths.packet_commitment_path, paths.packet_commitment_v2_path, end, sequence)


def receipt_key_of(end: EndName, sequence: int) -> bytes:
    """Return `receipt_key` of a packet by its destination end."""
    return _key(paths.packet_receipt_path, paths.packet_receipt_v2_path, end, sequence)


def acknowledgement_key_of(end: EndName, sequence: int) -> bytes:
    """Return `acknowledgement_key` of a packet by its destination end."""
    return _key(paths.packet_acknowledgement_path, paths.packet_acknowledgement_v2_path, end, sequence)


def _key(
    of_channel: Callable[..., bytes], of_client: Callable[..., bytes], end: EndName, sequence: int
) -> bytes:
    return of_client(*end, sequence) if len(end) == 1 else of_channel(*end, sequence)


def commitment_of(packet: AnyPacket) -> bytes:
    """Return the packet commitment."""
    if isinstance(packet, PacketV2):
        return v2.packet_commitment(packet)
    return v1.packet_commitment(packet)


def acknowledgement_commitment_of(packet: AnyPacket, acknowledgement: bytes) -> bytes:
    """Return the commitment of an acknowledgement of the packet."""
    if isinstance(packet, PacketV2):
        return v2.acknowledgement_commitment(decode_acknowledgement(acknowledgement))
    return v1.acknowledgement_commitment(acknowledgement)


def to_columns(packet: AnyPacket) -> Columns:
    """Return the packet as columns of the journal."""
    if isinstance(packet, PacketV2):
        return v2.encode_packet(packet), str(ZERO_HEIGHT), "0"
    return packet.data, str(packet.timeout_height_on_b), str(packet.timeout_ns_on_b)


def from_columns(path: AnyPath, sender: Side, sequence: int, columns: Columns) -> AnyPacket:
    """Return a packet, sent from one side of `path`, from columns of the journal."""
    data, timeout_height, timeout_ns = columns
    if isinstance(path, ClientPath):
        return v2.decode_packet(data)
    a, b = path.end(sender), path.end(other(sender))
    until = parse_height(timeout_height), int(timeout_ns)
    return Packet(sequence, a.port_id, a.channel_id, b.port_id, b.channel_id, data, *until)


def has_error(packet: AnyPacket | None, acknowledgement: bytes) -> bool:
    """Return whether an acknowledgement of a packet, which its sender has accepted, is one of an error."""
    if not acknowledgement:
        return False
    if isinstance(packet, PacketV2):
        entries = decode_acknowledgement(acknowledgement)
        return entries == (v2.SENTINEL,) or any(map(_is_error, entries))
    return _is_error(acknowledgement)


def _is_error(acknowledgement: bytes) -> bool:
    parsed = parse(acknowledgement)
    return parsed is not None and parsed.error is not None


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
