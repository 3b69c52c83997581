"""MsgChannelCloseConfirm for a channel of any name (`pyibc.channel.v1`)."""

from dataclasses import replace

from ibc_core.channel.close_confirm import MsgChannelCloseConfirm
from ibc_core.checking import HasAddresses
from ibc_core.direct.names import CHANNEL
from ibc_core.identifiers import validate_channel_id
from ibc_core.value import value
from ibc_core.wire.message import message
from ibc_proto.pyibc.channel.v1 import tx_pb2


@message(tx_pb2.MsgChannelCloseConfirm)
@value
class MsgNamedChannelCloseConfirm(MsgChannelCloseConfirm):
    """The other chain follows, proving CLOSED."""

    def check(self, chain: HasAddresses) -> None:
        """Checks and raises as `MsgChannelCloseConfirm.check`, for any identifier."""
        validate_channel_id(self.channel_id)
        MsgChannelCloseConfirm.check(replace(self, channel_id=CHANNEL), chain)
