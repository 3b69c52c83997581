"""MsgConnectionOpenConfirm for a connection of any name (`pyibc.connection.v1`)."""

from dataclasses import replace

from ibc_core.checking import HasAddresses
from ibc_core.connection.open_confirm import MsgConnectionOpenConfirm
from ibc_core.direct.names import CONNECTION
from ibc_core.identifiers import validate_connection_id
from ibc_core.value import value
from ibc_core.wire.message import message
from ibc_proto.pyibc.connection.v1 import tx_pb2


@message(tx_pb2.MsgConnectionOpenConfirm)
@value
class MsgNamedConnectionOpenConfirm(MsgConnectionOpenConfirm):
    """Chain B goes OPEN, proving A's OPEN."""

    def check(self, chain: HasAddresses) -> None:
        """Checks and raises as `MsgConnectionOpenConfirm.check`, for any identifier."""
        validate_connection_id(self.connection_id_on_b)
        MsgConnectionOpenConfirm.check(replace(self, connection_id_on_b=CONNECTION), chain)
