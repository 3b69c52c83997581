"""MsgConnectionOpenAck (ICS-3); of the other chain's client of us as in `open_try`."""

from typing import Annotated

from ibc_core.checking import HasAddresses, check_proof
from ibc_core.connection.checks import check_own_connection_id, check_version
from ibc_core.connection.types import Version
from ibc_core.height import Height
from ibc_core.identifiers import validate_connection_id
from ibc_core.value import value
from ibc_core.wire.columns import Proof, Signer, Wire
from ibc_core.wire.message import Msg, message
from ibc_proto.ibc.core.connection.v1 import tx_pb2


@message(tx_pb2.MsgConnectionOpenAck)
@value
class MsgConnectionOpenAck(Msg):
    """Chain A goes OPEN, proving B's TRYOPEN."""

    connection_id_on_a: Annotated[str, Wire("connection_id")]
    connection_id_on_b: Annotated[str, Wire("counterparty_connection_id")]
    version: Version | None
    proof_try: Proof
    proof_height: Height
    signer: Signer

    def check(self, chain: HasAddresses) -> None:
        """Stateless checks.

        Raises:
            InvalidConnectionIdentifier, InvalidIdentifier, InvalidConnectionVersion, InvalidProof,
            InvalidAddress.
        """
        check_own_connection_id(self.connection_id_on_a)
        validate_connection_id(self.connection_id_on_b)
        check_version(self.version)
        check_proof(self.proof_try, "try")
        chain.addresses.decode(self.signer, "signer")
