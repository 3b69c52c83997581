"""Commitments to packets and acknowledgements (ICS-4)."""

from hashlib import sha256

from ibc_core.packet.types import Packet

RECEIPT = b"\x01"
"""Stored for a packet received on an unordered channel."""


def packet_commitment(packet: Packet) -> bytes:
    """sha256(timeout timestamp | timeout revision | timeout height | sha256(data)), integers BE8."""
    height = packet.timeout_height_on_b
    return sha256(
        packet.timeout_ns_on_b.to_bytes(8, "big")
        + height.revision_number.to_bytes(8, "big")
        + height.revision_height.to_bytes(8, "big")
        + sha256(packet.data).digest()
    ).digest()


def acknowledgement_commitment(acknowledgement: bytes) -> bytes:
    """sha256 of the acknowledgement's bytes."""
    return sha256(acknowledgement).digest()
