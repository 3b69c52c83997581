"""MsgAcknowledgement (ICS-4)."""

from typing import Annotated

from ibc_core.checking import HasAddresses, check_proof
from ibc_core.errors import InvalidAcknowledgement
from ibc_core.height import Height
from ibc_core.packet.outcome import OUTCOME
from ibc_core.packet.types import Packet
from ibc_core.value import value
from ibc_core.wire.columns import Proof, Signer, Wire
from ibc_core.wire.message import Msg, message
from ibc_proto.ibc.core.channel.v1 import tx_pb2


@message(tx_pb2.MsgAcknowledgement, OUTCOME)
@value
class MsgAcknowledgement(Msg):
    """Chain A learns what B answered, proving B's acknowledgement."""

    packet: Packet
    acknowledgement: bytes
    proof_ack_on_b: Annotated[Proof, Wire("proof_acked")]
    proof_height_on_b: Annotated[Height, Wire("proof_height")]
    signer: Signer

    def check(self, chain: HasAddresses) -> None:
        """Stateless checks.

        Raises:
            InvalidProof, InvalidAcknowledgement, InvalidAddress, InvalidIdentifier, InvalidPacket.
        """
        check_proof(self.proof_ack_on_b, "acknowledgement")
        if not self.acknowledgement:
            raise InvalidAcknowledgement("it is empty")
        chain.addresses.decode(self.signer, "signer")
        self.packet.validate_basic()
