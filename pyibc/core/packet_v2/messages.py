"""Messages of IBC v2 packets (ICS-4 v2): send, receive, acknowledge and time out."""

from typing import Annotated

from pyibc.core.checking import HasPayloadRule, check_proof
from pyibc.core.errors import InvalidTimeoutV2
from pyibc.core.height import Height
from pyibc.core.identifiers import validate_client_id
from pyibc.core.packet.messages import OUTCOME
from pyibc.core.packet_v2.types import (
    AcknowledgementV2,
    PacketV2,
    Payload,
    check_acknowledgement,
    check_payloads,
)
from pyibc.core.value import value
from pyibc.core.wire.columns import Proof, Signer, Wire
from pyibc.core.wire.message import Msg, message, response
from pyibc.proto.ibc.core.channel.v2 import tx_pb2


@message(tx_pb2.MsgSendPacket, response(tx_pb2.MsgSendPacketResponse, "sequence"))
@value
class MsgSendPacket(Msg):
    """Chain A sends a packet."""

    client_id_on_a: Annotated[str, Wire("source_client")]
    timeout_s_on_b: Annotated[int, Wire("timeout_timestamp")]  # unix seconds
    payloads: tuple[Payload, ...]
    signer: Signer

    def check(self, chain: HasPayloadRule) -> None:
        """Run the stateless checks.

        Raises:
            InvalidIdentifier, InvalidTimeoutV2, InvalidPayload, InvalidAddress.
        """
        validate_client_id(self.client_id_on_a)
        if self.timeout_s_on_b == 0:
            raise InvalidTimeoutV2("it is 0")
        check_payloads(self.payloads, several=chain.several_payloads)
        chain.addresses.decode(self.signer, "signer")


@message(tx_pb2.MsgRecvPacket, OUTCOME)
@value
class MsgRecvPacketV2(Msg):
    """Chain B receives a packet, with a proof of chain A's commitment."""

    packet: PacketV2
    proof_commitment_on_a: Annotated[Proof, Wire("proof_commitment")]
    proof_height_on_a: Annotated[Height, Wire("proof_height")]
    signer: Signer

    def check(self, chain: HasPayloadRule) -> None:
        """Run the stateless checks.

        Raises:
            InvalidProof, InvalidAddress, InvalidPayload, InvalidIdentifier, InvalidPacketV2.
        """
        check_proof(self.proof_commitment_on_a, "commitment")
        chain.addresses.decode(self.signer, "signer")
        self.packet.validate_basic(several=chain.several_payloads)


@message(tx_pb2.MsgAcknowledgement, OUTCOME)
@value
class MsgAcknowledgementV2(Msg):
    """Chain A processes an acknowledgement, with a proof of chain B's acknowledgement commitment."""

    packet: PacketV2
    acknowledgement: Annotated[AcknowledgementV2, Wire("acknowledgement.app_acknowledgements")]
    proof_ack_on_b: Annotated[Proof, Wire("proof_acked")]
    proof_height_on_b: Annotated[Height, Wire("proof_height")]
    signer: Signer

    def check(self, chain: HasPayloadRule) -> None:
        """Run the stateless checks.

        Raises:
            InvalidProof, InvalidAcknowledgementV2, InvalidAddress, InvalidPayload, InvalidIdentifier,
            InvalidPacketV2.
        """
        check_proof(self.proof_ack_on_b, "acknowledgement")
        check_acknowledgement(self.acknowledgement, several=chain.several_payloads)
        chain.addresses.decode(self.signer, "signer")
        self.packet.validate_basic(several=chain.several_payloads)


@message(tx_pb2.MsgTimeout, OUTCOME)
@value
class MsgTimeoutV2(Msg):
    """Chain A times out a packet, with a proof that chain B had not received it at its timeout."""

    packet: PacketV2
    proof_unreceived_on_b: Annotated[Proof, Wire("proof_unreceived")]
    proof_height_on_b: Annotated[Height, Wire("proof_height")]
    signer: Signer

    def check(self, chain: HasPayloadRule) -> None:
        """Run the stateless checks.

        Raises:
            InvalidProof, InvalidAddress, InvalidPayload, InvalidIdentifier, InvalidPacketV2.
        """
        check_proof(self.proof_unreceived_on_b, "unreceived")
        chain.addresses.decode(self.signer, "signer")
        self.packet.validate_basic(several=chain.several_payloads)
