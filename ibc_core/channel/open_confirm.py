"""MsgChannelOpenConfirm (ICS-4)."""

from typing import Annotated

from ibc_core.channel.checks import check_own_channel_id
from ibc_core.checking import HasAddresses, check_proof
from ibc_core.height import Height
from ibc_core.identifiers import validate_port_id
from ibc_core.value import value
from ibc_core.wire.columns import Proof, Signer, Wire
from ibc_core.wire.message import Msg, message
from ibc_proto.ibc.core.channel.v1 import tx_pb2


@message(tx_pb2.MsgChannelOpenConfirm)
@value
class MsgChannelOpenConfirm(Msg):
    """Chain B goes OPEN, proving A's OPEN."""

    port_id_on_b: Annotated[str, Wire("port_id")]
    channel_id_on_b: Annotated[str, Wire("channel_id")]
    proof_ack: Proof
    proof_height: Height
    signer: Signer

    def check(self, chain: HasAddresses) -> None:
        """Stateless checks.

        Raises:
            InvalidIdentifier, InvalidChannelIdentifier, InvalidProof, InvalidAddress.
        """
        validate_port_id(self.port_id_on_b)
        check_own_channel_id(self.channel_id_on_b)
        check_proof(self.proof_ack, "ack")
        chain.addresses.decode(self.signer, "signer")
