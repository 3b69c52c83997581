"""MsgChannelCloseConfirm (ICS-4)."""

from ibc_core.channel.checks import check_own_channel_id
from ibc_core.checking import HasAddresses, check_proof
from ibc_core.height import Height
from ibc_core.identifiers import validate_port_id
from ibc_core.value import value
from ibc_core.wire.columns import Proof, Signer
from ibc_core.wire.message import Msg, message
from ibc_proto.ibc.core.channel.v1 import tx_pb2


@message(tx_pb2.MsgChannelCloseConfirm)
@value
class MsgChannelCloseConfirm(Msg):
    """The other chain follows, proving CLOSED."""

    port_id: str
    channel_id: str
    proof_init: Proof
    proof_height: Height
    signer: Signer

    def check(self, chain: HasAddresses) -> None:
        """Stateless checks.

        Raises:
            InvalidIdentifier, InvalidChannelIdentifier, InvalidProof, InvalidAddress.
        """
        validate_port_id(self.port_id)
        check_own_channel_id(self.channel_id)
        check_proof(self.proof_init, "init")
        chain.addresses.decode(self.signer, "signer")
