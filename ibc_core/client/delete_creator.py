"""MsgDeleteClientCreator (ICS-2)."""

from ibc_core.checking import HasAddresses
from ibc_core.identifiers import parse_client_id, validate_client_id
from ibc_core.value import value
from ibc_core.wire.columns import Signer
from ibc_core.wire.message import Msg, message
from ibc_proto.ibc.core.client.v1 import tx_pb2


@message(tx_pb2.MsgDeleteClientCreator)
@value
class MsgDeleteClientCreator(Msg):
    """A client's creator, or the authority, has the chain forget who created it."""

    client_id: str
    signer: Signer

    def check(self, chain: HasAddresses) -> None:
        """Stateless checks.

        Raises:
            InvalidAddress, InvalidIdentifier.
        """
        chain.addresses.decode(self.signer, "signer")
        validate_client_id(self.client_id)
        parse_client_id(self.client_id)
