"""MsgConnectionOpenTry with chosen names (`pyibc.connection.v1`)."""

from typing import Annotated

from ibc_core.connection.open_try import MsgConnectionOpenTry
from ibc_core.value import value
from ibc_core.wire.columns import Wire
from ibc_core.wire.message import message
from ibc_proto.pyibc.connection.v1 import tx_pb2


@message(tx_pb2.MsgConnectionOpenTry)
@value
class MsgNamedConnectionOpenTry(MsgConnectionOpenTry):
    """Chain B answers, proving A's INIT; its end's name may be chosen. Checked as today's."""

    connection_id_on_b: Annotated[str, Wire("connection_id")] = ""  # "": generated
    named_on_a: Annotated[bool, Wire("named_by_counterparty")] = False
