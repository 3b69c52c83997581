"""MsgConnectionOpenInit with chosen names (`pyibc.connection.v1`)."""

from dataclasses import replace
from typing import Annotated

from ibc_core.checking import HasAddresses
from ibc_core.connection.open_init import MsgConnectionOpenInit
from ibc_core.connection.types import ConnectionCounterparty
from ibc_core.errors import InvalidConnectionIdentifier
from ibc_core.identifiers import is_connection_id, validate_connection_id
from ibc_core.value import value
from ibc_core.wire.columns import Wire
from ibc_core.wire.message import message
from ibc_proto.pyibc.connection.v1 import tx_pb2


@message(tx_pb2.MsgConnectionOpenInit)
@value
class MsgNamedConnectionOpenInit(MsgConnectionOpenInit):
    """Chain A starts a connection; either end's name may be chosen."""

    connection_id_on_a: Annotated[str, Wire("connection_id")] = ""  # "": generated

    def check(self, chain: HasAddresses) -> None:
        """Today's stateless checks, and those of a chosen far end's name.

        Raises:
            InvalidConnectionIdentifier: it is of the form that is generated: no one can know the next.
            InvalidIdentifier, ...: see `MsgConnectionOpenInit.check`.
        """
        far = self.counterparty
        if is_connection_id(far.connection_id):
            raise InvalidConnectionIdentifier(far.connection_id)
        if far.connection_id:
            validate_connection_id(far.connection_id)
        unnamed = ConnectionCounterparty(far.client_id, "", far.prefix)
        MsgConnectionOpenInit.check(replace(self, counterparty=unnamed), chain)
