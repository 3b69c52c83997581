"""MsgUpdateClientConfig (ICS-2 v2)."""

from typing import Annotated

from ibc_core.checking import HasAddresses
from ibc_core.client_v2.types import MAX_RELAYERS
from ibc_core.errors import TooLarge
from ibc_core.identifiers import parse_client_id, validate_client_id
from ibc_core.value import value
from ibc_core.wire.columns import Signer, Wire
from ibc_core.wire.message import Msg, message
from ibc_proto.ibc.core.client.v2 import tx_pb2


@message(tx_pb2.MsgUpdateClientConfig)
@value
class MsgUpdateClientConfig(Msg):
    """Says who may relay over a client; nobody named: everybody."""

    client_id: str
    allowed_relayers: Annotated[tuple[str, ...], Wire("config.allowed_relayers")]
    signer: Signer

    def check(self, chain: HasAddresses) -> None:
        """Stateless checks.

        Raises:
            InvalidAddress, InvalidIdentifier, TooLarge.
        """
        chain.addresses.decode(self.signer, "signer")
        validate_client_id(self.client_id)
        parse_client_id(self.client_id)
        if len(self.allowed_relayers) > MAX_RELAYERS:
            raise TooLarge("allowed_relayers", len(self.allowed_relayers), MAX_RELAYERS)
        for relayer in self.allowed_relayers:
            chain.addresses.decode(relayer, "allowed relayer")
