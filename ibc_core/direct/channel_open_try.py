"""MsgChannelOpenTry with chosen names (`pyibc.channel.v1`)."""

from typing import Annotated

from ibc_core.channel.open_try import MsgChannelOpenTry
from ibc_core.value import value
from ibc_core.wire.columns import Absent, Wire
from ibc_core.wire.message import message, response
from ibc_proto.pyibc.channel.v1 import tx_pb2


@message(tx_pb2.MsgChannelOpenTry, response(tx_pb2.MsgChannelOpenTryResponse, "channel_id", "version"))
@value
class MsgNamedChannelOpenTry(MsgChannelOpenTry):
    """Chain B answers, proving A's INIT; its end's name may be chosen. Checked as today's."""

    previous_channel_id: Annotated[str, Absent("")]
    channel_id_on_b: Annotated[str, Wire("channel_id")] = ""  # "": generated
    named_on_a: Annotated[bool, Wire("named_by_counterparty")] = False
