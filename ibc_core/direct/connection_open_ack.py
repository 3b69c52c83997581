"""MsgConnectionOpenAck for a connection of any name (`pyibc.connection.v1`)."""

from dataclasses import replace

from ibc_core.checking import HasAddresses
from ibc_core.connection.open_ack import MsgConnectionOpenAck
from ibc_core.direct.names import CONNECTION
from ibc_core.identifiers import validate_connection_id
from ibc_core.value import value
from ibc_core.wire.message import message
from ibc_proto.pyibc.connection.v1 import tx_pb2


@message(tx_pb2.MsgConnectionOpenAck)
@value
class MsgNamedConnectionOpenAck(MsgConnectionOpenAck):
    """Chain A goes OPEN, proving B's TRYOPEN."""

    def check(self, chain: HasAddresses) -> None:
        """Checks and raises as `MsgConnectionOpenAck.check`, for any identifier."""
        validate_connection_id(self.connection_id_on_a)
        MsgConnectionOpenAck.check(replace(self, connection_id_on_a=CONNECTION), chain)
