"""MsgCleanupPacket (ICS-4's first text, cleanupPacket)."""

from typing import Annotated

from ibc_core.checking import HasAddresses, check_proof
from ibc_core.height import Height
from ibc_core.packet.outcome import OUTCOME
from ibc_core.packet.types import Packet
from ibc_core.value import value
from ibc_core.wire.columns import Proof, Signer, Wire
from ibc_core.wire.message import Msg, message
from ibc_proto.pyibc.channel.v1 import tx_pb2


@message(tx_pb2.MsgCleanupPacket, OUTCOME)
@value
class MsgCleanupPacket(Msg):
    """Chain A forgets a packet, proving that B received it."""

    packet: Packet
    proof_received_on_b: Annotated[Proof, Wire("proof_received")]
    proof_height_on_b: Annotated[Height, Wire("proof_height")]
    next_sequence_recv_on_b: Annotated[int, Wire("next_sequence_recv")]  # ordered channels; 0 on others
    acknowledgement: bytes  # unordered channels; b"" on others
    signer: Signer

    def check(self, chain: HasAddresses) -> None:
        """Stateless checks.

        Raises:
            InvalidProof, InvalidAddress, InvalidIdentifier, InvalidPacket.
        """
        check_proof(self.proof_received_on_b, "received")
        chain.addresses.decode(self.signer, "signer")
        self.packet.validate_basic()
