"""MsgRecoverClient (ICS-2)."""

from ibc_core.checking import HasAddresses
from ibc_core.errors import InvalidSubstitute
from ibc_core.identifiers import validate_client_id
from ibc_core.value import value
from ibc_core.wire.columns import Signer
from ibc_core.wire.message import Msg, message
from ibc_proto.ibc.core.client.v1 import tx_pb2


@message(tx_pb2.MsgRecoverClient)
@value
class MsgRecoverClient(Msg):
    """The authority brings a frozen or expired client back by an active one that follows the same chain."""

    subject_client_id: str
    substitute_client_id: str
    signer: Signer

    def check(self, chain: HasAddresses) -> None:
        """Stateless checks.

        Raises:
            InvalidAddress, InvalidIdentifier, InvalidSubstitute.
        """
        chain.addresses.decode(self.signer, "signer")
        validate_client_id(self.subject_client_id)
        validate_client_id(self.substitute_client_id)
        if self.subject_client_id == self.substitute_client_id:
            raise InvalidSubstitute("subject and substitute must be different")
