"""Checks of a packet on chain A, shared by acknowledgement and timeout messages."""

from pyibc.core.channel.types import ChannelEnd
from pyibc.core.errors import InvalidPacket
from pyibc.core.packet.types import Packet


def check_destination(end_on_a: ChannelEnd, packet: Packet) -> None:
    """Check that the packet's destination is the counterparty of chain A's channel end.

    Raises:
        InvalidPacket: the destination port or channel differs.
    """
    counterparty = end_on_a.counterparty
    if packet.port_id_on_b != counterparty.port_id:
        raise InvalidPacket(f"destination port {packet.port_id_on_b} is not {counterparty.port_id}")
    if packet.channel_id_on_b != counterparty.channel_id:
        raise InvalidPacket(f"destination channel {packet.channel_id_on_b} is not {counterparty.channel_id}")


def check_commitment(stored: bytes, computed: bytes) -> None:
    """Check that the packet matches its commitment.

    Raises:
        InvalidPacket: the commitments differ.
    """
    if stored != computed:
        raise InvalidPacket(f"commitment {computed.hex()} is not the stored {stored.hex()}")
