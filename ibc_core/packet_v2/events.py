"""Events of IBC v2's packets, attribute for attribute as ibc-go emits them.

Types are those of v1; attributes tell them apart. Packets and acknowledgements stand in them as the
hexadecimal of their protobuf bytes, which the caller gives: encoding is the wire's.
"""

from ibc_core.host.events import Attribute, Event
from ibc_core.packet_v2.types import PacketV2

MODULE: Event = ("message", (("module", "ibc_channelv2"),))


def packet_attributes(packet: PacketV2, encoded_packet: bytes) -> tuple[Attribute, ...]:
    """What every event of a packet has."""
    return (
        ("packet_source_client", packet.client_id_on_a),
        ("packet_dest_client", packet.client_id_on_b),
        ("packet_sequence", str(packet.sequence)),
        ("packet_timeout_timestamp", str(packet.timeout_s_on_b)),
        ("encoded_packet_hex", encoded_packet.hex()),
    )


def send_packet(head: tuple[Attribute, ...]) -> Event:
    """Chain A committed to a packet."""
    return "send_packet", head


def recv_packet(head: tuple[Attribute, ...]) -> Event:
    """Chain B received a packet."""
    return "recv_packet", head


def write_acknowledgement(head: tuple[Attribute, ...], encoded_acknowledgement: bytes) -> Event:
    """Chain B answered a packet."""
    return "write_acknowledgement", (*head, ("encoded_acknowledgement_hex", encoded_acknowledgement.hex()))


def acknowledge_packet(head: tuple[Attribute, ...]) -> Event:
    """Chain A learned the answer."""
    return "acknowledge_packet", head


def timeout_packet(head: tuple[Attribute, ...]) -> Event:
    """Chain A took the packet back."""
    return "timeout_packet", head
