"""MsgTimeout (ICS-4)."""

from typing import Annotated

from ibc_core.checking import HasAddresses, check_proof
from ibc_core.errors import InvalidSequence
from ibc_core.height import Height
from ibc_core.packet.outcome import OUTCOME
from ibc_core.packet.types import Packet
from ibc_core.value import value
from ibc_core.wire.columns import Proof, Signer, Wire
from ibc_core.wire.message import Msg, message
from ibc_proto.ibc.core.channel.v1 import tx_pb2


@message(tx_pb2.MsgTimeout, OUTCOME)
@value
class MsgTimeout(Msg):
    """Chain A takes a packet back, proving that B had not received it when it timed out."""

    packet: Packet
    proof_unreceived_on_b: Annotated[Proof, Wire("proof_unreceived")]
    proof_height_on_b: Annotated[Height, Wire("proof_height")]
    next_sequence_recv_on_b: Annotated[int, Wire("next_sequence_recv")]
    signer: Signer

    def check(self, chain: HasAddresses) -> None:
        """Stateless checks.

        Raises:
            InvalidProof, InvalidSequence, InvalidAddress, InvalidIdentifier, InvalidPacket.
        """
        check_proof(self.proof_unreceived_on_b, "unreceived")
        if self.next_sequence_recv_on_b == 0:
            raise InvalidSequence("next_sequence_recv", 0)
        chain.addresses.decode(self.signer, "signer")
        self.packet.validate_basic()
