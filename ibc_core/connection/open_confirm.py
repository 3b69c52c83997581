"""MsgConnectionOpenConfirm (ICS-3)."""

from typing import Annotated

from ibc_core.checking import HasAddresses, check_proof
from ibc_core.connection.checks import check_own_connection_id
from ibc_core.height import Height
from ibc_core.value import value
from ibc_core.wire.columns import Proof, Signer, Wire
from ibc_core.wire.message import Msg, message
from ibc_proto.ibc.core.connection.v1 import tx_pb2


@message(tx_pb2.MsgConnectionOpenConfirm)
@value
class MsgConnectionOpenConfirm(Msg):
    """Chain B goes OPEN, proving A's OPEN."""

    connection_id_on_b: Annotated[str, Wire("connection_id")]
    proof_ack: Proof
    proof_height: Height
    signer: Signer

    def check(self, chain: HasAddresses) -> None:
        """Stateless checks.

        Raises:
            InvalidConnectionIdentifier, InvalidProof, InvalidAddress.
        """
        check_own_connection_id(self.connection_id_on_b)
        check_proof(self.proof_ack, "ack")
        chain.addresses.decode(self.signer, "signer")
