"""MsgChannelOpenInit with chosen names (`pyibc.channel.v1`)."""

from dataclasses import replace
from typing import Annotated

from ibc_core.channel.open_init import MsgChannelOpenInit
from ibc_core.channel.types import ChannelCounterparty
from ibc_core.checking import HasAddresses
from ibc_core.direct.names import chosen_far_channel
from ibc_core.value import value
from ibc_core.wire.columns import Wire
from ibc_core.wire.message import message, response
from ibc_proto.pyibc.channel.v1 import tx_pb2


@message(tx_pb2.MsgChannelOpenInit, response(tx_pb2.MsgChannelOpenInitResponse, "channel_id", "version"))
@value
class MsgNamedChannelOpenInit(MsgChannelOpenInit):
    """Chain A starts a channel; either end's name may be chosen."""

    channel_id_on_a: Annotated[str, Wire("channel_id")] = ""  # "": generated

    def check(self, chain: HasAddresses) -> None:
        """Today's stateless checks, and those of a chosen far end's name.

        Raises:
            InvalidIdentifier, InvalidChannelIdentifier: see `chosen_far_channel`.
            ...: see `MsgChannelOpenInit.check`.
        """
        far = self.channel.counterparty
        chosen_far_channel(far.channel_id)
        unnamed = replace(self.channel, counterparty=ChannelCounterparty(far.port_id, ""))
        MsgChannelOpenInit.check(replace(self, channel=unnamed), chain)
