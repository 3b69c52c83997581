"""MsgChannelCloseInit for a channel of any name (`pyibc.channel.v1`)."""

from dataclasses import replace

from ibc_core.channel.close_init import MsgChannelCloseInit
from ibc_core.checking import HasAddresses
from ibc_core.direct.names import CHANNEL
from ibc_core.identifiers import validate_channel_id
from ibc_core.value import value
from ibc_core.wire.message import message
from ibc_proto.pyibc.channel.v1 import tx_pb2


@message(tx_pb2.MsgChannelCloseInit)
@value
class MsgNamedChannelCloseInit(MsgChannelCloseInit):
    """Either chain closes its end."""

    def check(self, chain: HasAddresses) -> None:
        """Checks and raises as `MsgChannelCloseInit.check`, for any identifier."""
        validate_channel_id(self.channel_id)
        MsgChannelCloseInit.check(replace(self, channel_id=CHANNEL), chain)
