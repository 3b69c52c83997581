"""Messages of ICS-3 for connections of any name (`pyibc.connection.v1`), as `channel_messages`."""

from dataclasses import replace
from typing import Annotated

from ibc_core.checking import HasAddresses
from ibc_core.connection.open_ack import MsgConnectionOpenAck
from ibc_core.connection.open_confirm import MsgConnectionOpenConfirm
from ibc_core.connection.open_init import MsgConnectionOpenInit
from ibc_core.connection.open_try import MsgConnectionOpenTry
from ibc_core.connection.types import ConnectionCounterparty
from ibc_core.direct.names import CONNECTION
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


@message(tx_pb2.MsgConnectionOpenTry)
@value
class MsgNamedConnectionOpenTry(MsgConnectionOpenTry):
    """Chain B answers, proving A's INIT; its end's name may be chosen. Checked as today's."""

    connection_id_on_b: Annotated[str, Wire("connection_id")] = ""  # "": generated
    named_on_a: Annotated[bool, Wire("named_by_counterparty")] = False


@message(tx_pb2.MsgConnectionOpenAck)
@value
class MsgNamedConnectionOpenAck(MsgConnectionOpenAck):
    """Chain A goes OPEN, proving B's TRYOPEN."""

    def check(self, chain: HasAddresses) -> None:
        """Checks and raises as `MsgConnectionOpenAck.check`, for any identifier."""
        validate_connection_id(self.connection_id_on_a)
        MsgConnectionOpenAck.check(replace(self, connection_id_on_a=CONNECTION), chain)


@message(tx_pb2.MsgConnectionOpenConfirm)
@value
class MsgNamedConnectionOpenConfirm(MsgConnectionOpenConfirm):
    """Chain B goes OPEN, proving A's OPEN."""

    def check(self, chain: HasAddresses) -> None:
        """Checks and raises as `MsgConnectionOpenConfirm.check`, for any identifier."""
        validate_connection_id(self.connection_id_on_b)
        MsgConnectionOpenConfirm.check(replace(self, connection_id_on_b=CONNECTION), chain)
