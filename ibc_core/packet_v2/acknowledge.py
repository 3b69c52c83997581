"""MsgAcknowledgement of IBC v2 (ICS-4 v2)."""

from typing import Annotated

from ibc_core.checking import HasPayloadRule, check_proof
from ibc_core.height import Height
from ibc_core.packet.outcome import OUTCOME
from ibc_core.packet_v2.types import AcknowledgementV2, PacketV2, check_acknowledgement
from ibc_core.value import value
from ibc_core.wire.columns import Proof, Signer, Wire
from ibc_core.wire.message import Msg, message
from ibc_proto.ibc.core.channel.v2 import tx_pb2


@message(tx_pb2.MsgAcknowledgement, OUTCOME)
@value
class MsgAcknowledgementV2(Msg):
    """Chain A learns what B answered, proving B's acknowledgement."""

    packet: PacketV2
    acknowledgement: Annotated[AcknowledgementV2, Wire("acknowledgement.app_acknowledgements")]
    proof_ack_on_b: Annotated[Proof, Wire("proof_acked")]
    proof_height_on_b: Annotated[Height, Wire("proof_height")]
    signer: Signer

    def check(self, chain: HasPayloadRule) -> None:
        """Stateless checks.

        Raises:
            InvalidProof, InvalidAcknowledgementV2, InvalidAddress, InvalidPayload, InvalidIdentifier,
            InvalidPacketV2.
        """
        check_proof(self.proof_ack_on_b, "acknowledgement")
        check_acknowledgement(self.acknowledgement, several=chain.several_payloads)
        chain.addresses.decode(self.signer, "signer")
        self.packet.validate_basic(several=chain.several_payloads)
