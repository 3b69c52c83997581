"""Events of IBC v2's packets, with the attributes of ibc-go.

Their types are those of v1, their attributes differ. They have packets and acknowledgements as the
hexadecimal of protobuf bytes, which the caller passes.
"""

from ibc_core.host.events import Attribute, Event
from ibc_core.packet_v2.types import PacketV2

MODULE: Event = ("message", (("module", "ibc_channelv2"),))


def packet_attributes(packet: PacketV2, encoded_packet: bytes) -> tuple[Attribute, ...]:
    """The attributes of every packet event."""
    return (
        ("packet_source_client", packet.client_id_on_a),
        ("packet_dest_client", packet.client_id_on_b),
        ("packet_sequence", str(packet.sequence)),
        ("packet_timeout_timestamp", str(packet.timeout_s_on_b)),
        ("encoded_packet_hex", encoded_packet.hex()),
    )


def send_packet(head: tuple[Attribute, ...]) -> Event:
    """Chain A sent a packet."""
    return "send_packet", head


def recv_packet(head: tuple[Attribute, ...]) -> Event:
    """Chain B received a packet."""
    return "recv_packet", head


def write_acknowledgement(head: tuple[Attribute, ...], encoded_acknowledgement: bytes) -> Event:
    """Chain B wrote the acknowledgement of a packet."""
    return "write_acknowledgement", (*head, ("encoded_acknowledgement_hex", encoded_acknowledgement.hex()))


def acknowledge_packet(head: tuple[Attribute, ...]) -> Event:
    """Chain A received the acknowledgement of a packet."""
    return "acknowledge_packet", head


def timeout_packet(head: tuple[Attribute, ...]) -> Event:
    """A packet timed out on chain A."""
    return "timeout_packet", head
