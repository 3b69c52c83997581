"""Messages of IBC v2 as values. One here has passed nothing but decoding; see `basic_checks_v2`.

`signer` is an address as text. Proofs are MerkleProof bytes.
"""

from ibc_core.height import Height
from ibc_core.packet_v2.types import AcknowledgementV2, PacketV2, Payload
from ibc_core.value import value


@value
class MsgRegisterCounterparty:
    """The creator of a client says which client on the other chain belongs to it."""

    client_id: str
    counterparty_merkle_prefix: tuple[bytes, ...]
    counterparty_client_id: str
    signer: str


@value
class MsgUpdateClientConfig:
    """Says who may relay over a client; nobody named: everybody."""

    client_id: str
    allowed_relayers: tuple[str, ...]
    signer: str


@value
class MsgSendPacket:
    """Chain A sends a packet."""

    client_id_on_a: str
    timeout_s_on_b: int  # unix seconds
    payloads: tuple[Payload, ...]
    signer: str


@value
class MsgRecvPacketV2:
    """Chain B receives a packet, proving A's commitment."""

    packet: PacketV2
    proof_commitment_on_a: bytes
    proof_height_on_a: Height
    signer: str


@value
class MsgAcknowledgementV2:
    """Chain A learns what B answered, proving B's acknowledgement."""

    packet: PacketV2
    acknowledgement: AcknowledgementV2
    proof_ack_on_b: bytes
    proof_height_on_b: Height
    signer: str


@value
class MsgTimeoutV2:
    """Chain A takes a packet back, proving that B had not received it when it timed out."""

    packet: PacketV2
    proof_unreceived_on_b: bytes
    proof_height_on_b: Height
    signer: str
