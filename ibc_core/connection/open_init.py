"""MsgConnectionOpenInit (ICS-3)."""

from typing import Annotated

from ibc_core.checking import HasAddresses
from ibc_core.connection.checks import check_client, check_counterparty, check_version
from ibc_core.connection.types import ConnectionCounterparty, Version
from ibc_core.errors import InvalidConnectionCounterparty
from ibc_core.value import value
from ibc_core.wire.columns import Absent, Signer, Wire
from ibc_core.wire.message import Msg, message
from ibc_proto.ibc.core.connection.v1 import tx_pb2


@message(tx_pb2.MsgConnectionOpenInit)
@value
class MsgConnectionOpenInit(Msg):
    """Chain A starts a connection."""

    client_id_on_a: Annotated[str, Wire("client_id")]
    counterparty: ConnectionCounterparty
    version: Version | None
    delay_period_ns: Annotated[int, Wire("delay_period")]
    signer: Signer
    connection_id_on_a: Annotated[str, Absent("")] = ""  # chosen; "": generated

    def check(self, chain: HasAddresses) -> None:
        """Stateless checks.

        Raises:
            InvalidClientType, InvalidIdentifier, InvalidConnectionCounterparty, InvalidConnectionVersion,
            InvalidAddress.
        """
        check_client(self.client_id_on_a)
        if self.counterparty.connection_id:
            raise InvalidConnectionCounterparty("connection identifier must be empty")
        if self.version is not None:
            check_version(self.version)
        chain.addresses.decode(self.signer, "signer")
        check_counterparty(self.counterparty)
