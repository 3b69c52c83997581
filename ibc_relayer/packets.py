"""Packets of both protocol versions, as a relayer sees them: ends, paths, commitments, timeouts.

Channels carry `Packet`, clients `PacketV2`. Everything else that a relayer does with them is the same.
"""

from collections.abc import Iterable, Iterator, Set

from ibc_core import paths
from ibc_core.errors import InvalidPacket, InvalidPacketV2
from ibc_core.height import ZERO_HEIGHT, Height, parse_height
from ibc_core.host.events import Event
from ibc_core.packet import types as v1
from ibc_core.packet.event_reader import PacketEvent, read_packet_event
from ibc_core.packet.types import Packet, timeout_elapsed
from ibc_core.packet_v2 import types as v2
from ibc_core.packet_v2.event_reader import PacketEventV2, read_packet_event_v2
from ibc_core.packet_v2.states import decode_acknowledgement, decode_packet, encode_packet
from ibc_core.packet_v2.types import NS_PER_S, PacketV2
from ibc_relayer.path import AnyPath, ClientPath, EndName, Side, other

AnyPacket = Packet | PacketV2
AnyPacketEvent = PacketEvent | PacketEventV2
EventKey = tuple[str, EndName, int]
"""Event type, source end, sequence."""
UNREADABLE = (InvalidPacket, InvalidPacketV2)
"""What `read_event` raises."""

Columns = tuple[bytes, str, str]
"""A packet in the journal: data, timeout height, timeout timestamp (nanoseconds); of v2 the packet alone."""


def read_event(event: Event) -> AnyPacketEvent | None:
    """Decodes a packet event of either version; None if it is another event.

    Raises:
        InvalidPacket, InvalidPacketV2: a packet event that cannot be decoded.
    """
    return read_packet_event(event) or read_packet_event_v2(event)


def event_keys(events: Iterable[Event], kinds: Set[str]) -> Iterator[EventKey]:
    """The packet events of these `kinds` among `events`, without those that cannot be decoded."""
    for event in events:
        if event[0] not in kinds:
            continue
        try:
            seen = read_event(event)
        except UNREADABLE:
            continue
        if seen is not None:
            yield seen.kind, name_on_a(seen.packet), seen.packet.sequence


def name_on_a(packet: AnyPacket) -> EndName:
    """The packet's source end."""
    if isinstance(packet, PacketV2):
        return (packet.client_id_on_a,)
    return packet.port_id_on_a, packet.channel_id_on_a


def name_on_b(packet: AnyPacket) -> EndName:
    """The packet's destination end."""
    if isinstance(packet, PacketV2):
        return (packet.client_id_on_b,)
    return packet.port_id_on_b, packet.channel_id_on_b


def elapsed(packet: AnyPacket, height: Height, time_ns: int) -> bool:
    """Whether the packet has timed out at this height and time (unix nanoseconds) of chain B."""
    if isinstance(packet, PacketV2):
        return time_ns // NS_PER_S >= packet.timeout_s_on_b
    return timeout_elapsed(packet.timeout_height_on_b, packet.timeout_ns_on_b, height, time_ns)


def commitment_key(packet: AnyPacket) -> bytes:
    """The path of the packet commitment on chain A."""
    if isinstance(packet, PacketV2):
        return paths.packet_commitment_v2_path(packet.client_id_on_a, packet.sequence)
    return paths.packet_commitment_path(packet.port_id_on_a, packet.channel_id_on_a, packet.sequence)


def receipt_key(packet: AnyPacket) -> bytes:
    """The path of the packet receipt on chain B; not for ordered channels."""
    if isinstance(packet, PacketV2):
        return paths.packet_receipt_v2_path(packet.client_id_on_b, packet.sequence)
    return paths.packet_receipt_path(packet.port_id_on_b, packet.channel_id_on_b, packet.sequence)


def acknowledgement_key(packet: AnyPacket) -> bytes:
    """The path of the acknowledgement commitment on chain B."""
    if isinstance(packet, PacketV2):
        return paths.packet_acknowledgement_v2_path(packet.client_id_on_b, packet.sequence)
    return paths.packet_acknowledgement_path(packet.port_id_on_b, packet.channel_id_on_b, packet.sequence)


def commitment_of(packet: AnyPacket) -> bytes:
    """The packet commitment."""
    if isinstance(packet, PacketV2):
        return v2.packet_commitment(packet)
    return v1.packet_commitment(packet)


def acknowledgement_commitment_of(packet: AnyPacket, acknowledgement: bytes) -> bytes:
    """The commitment of an acknowledgement of the packet."""
    if isinstance(packet, PacketV2):
        return v2.acknowledgement_commitment(decode_acknowledgement(acknowledgement))
    return v1.acknowledgement_commitment(acknowledgement)


def to_columns(packet: AnyPacket) -> Columns:
    """The packet as the journal stores it."""
    if isinstance(packet, PacketV2):
        return encode_packet(packet), str(ZERO_HEIGHT), "0"
    return packet.data, str(packet.timeout_height_on_b), str(packet.timeout_ns_on_b)


def from_columns(path: AnyPath, sender: Side, sequence: int, columns: Columns) -> AnyPacket:
    """A packet that the journal stored, sent from one side of `path`."""
    data, timeout_height, timeout_ns = columns
    if isinstance(path, ClientPath):
        return decode_packet(data)
    a, b = path.end(sender), path.end(other(sender))
    until = parse_height(timeout_height), int(timeout_ns)
    return Packet(sequence, a.port_id, a.channel_id, b.port_id, b.channel_id, data, *until)
