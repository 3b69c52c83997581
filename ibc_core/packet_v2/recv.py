"""MsgRecvPacket of IBC v2 (ICS-4 v2)."""

from typing import Annotated

from ibc_core.checking import HasPayloadRule, check_proof
from ibc_core.height import Height
from ibc_core.packet.outcome import OUTCOME
from ibc_core.packet_v2.types import PacketV2
from ibc_core.value import value
from ibc_core.wire.columns import Proof, Signer, Wire
from ibc_core.wire.message import Msg, message
from ibc_proto.ibc.core.channel.v2 import tx_pb2


@message(tx_pb2.MsgRecvPacket, OUTCOME)
@value
class MsgRecvPacketV2(Msg):
    """Chain B receives a packet, proving A's commitment."""

    packet: PacketV2
    proof_commitment_on_a: Annotated[Proof, Wire("proof_commitment")]
    proof_height_on_a: Annotated[Height, Wire("proof_height")]
    signer: Signer

    def check(self, chain: HasPayloadRule) -> None:
        """Stateless checks.

        Raises:
            InvalidProof, InvalidAddress, InvalidPayload, InvalidIdentifier, InvalidPacketV2.
        """
        check_proof(self.proof_commitment_on_a, "commitment")
        chain.addresses.decode(self.signer, "signer")
        self.packet.validate_basic(several=chain.several_payloads)
