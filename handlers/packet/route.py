"""Checks that several packet messages of chain A share: whether the packet is its own."""

from ibc_core.channel.types import ChannelEnd
from ibc_core.errors import InvalidPacket
from ibc_core.packet.types import Packet


def check_destination(end_on_a: ChannelEnd, packet: Packet) -> None:
    """Checks that the packet went to the other end of chain A's channel.

    Raises:
        InvalidPacket: destination port or channel is another.
    """
    counterparty = end_on_a.counterparty
    if packet.port_id_on_b != counterparty.port_id:
        raise InvalidPacket(f"destination port {packet.port_id_on_b} is not {counterparty.port_id}")
    if packet.channel_id_on_b != counterparty.channel_id:
        raise InvalidPacket(f"destination channel {packet.channel_id_on_b} is not {counterparty.channel_id}")


def check_commitment(stored: bytes, computed: bytes) -> None:
    """Checks that the packet is the one that was committed to.

    Raises:
        InvalidPacket: it was changed.
    """
    if stored != computed:
        raise InvalidPacket(f"commitment {computed.hex()} is not the stored {stored.hex()}")
