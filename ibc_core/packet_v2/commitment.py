"""Commitments to packets and acknowledgements of IBC v2 (ICS-4 v2).

Fields of variable length are hashed before they are joined, so that no two packets share a preimage.
"""

from hashlib import sha256

from ibc_core.packet_v2.types import AcknowledgementV2, PacketV2, Payload

RECEIPT = b"\x02"
"""Stored for a packet received."""

_VERSION = b"\x02"


def packet_commitment(packet: PacketV2) -> bytes:
    """sha256(0x02 | sha256(client on B) | sha256(BE8 timeout) | sha256(hashes of the payloads))."""
    payloads = b"".join([_payload_hash(payload) for payload in packet.payloads])
    return sha256(
        _VERSION
        + _hash(packet.client_id_on_b.encode())
        + _hash(packet.timeout_s_on_b.to_bytes(8, "big"))
        + _hash(payloads)
    ).digest()


def _payload_hash(payload: Payload) -> bytes:
    return _hash(
        _hash(payload.port_id_on_a.encode())
        + _hash(payload.port_id_on_b.encode())
        + _hash(payload.version.encode())
        + _hash(payload.encoding.encode())
        + _hash(payload.value)
    )


def acknowledgement_commitment(acknowledgement: AcknowledgementV2) -> bytes:
    """sha256(0x02 | the hash of each entry)."""
    return _hash(_VERSION + b"".join([_hash(each) for each in acknowledgement]))


def _hash(raw: bytes) -> bytes:
    return sha256(raw).digest()
