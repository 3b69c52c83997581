"""MsgChannelOpenInit (ICS-4)."""

from typing import Annotated

from ibc_core.channel.checks import check_end, check_state
from ibc_core.channel.types import ChannelEnd, ChannelState
from ibc_core.checking import HasAddresses
from ibc_core.errors import InvalidChannelCounterparty
from ibc_core.identifiers import validate_port_id
from ibc_core.value import value
from ibc_core.wire.columns import Absent, Signer, Wire
from ibc_core.wire.message import Msg, message, response
from ibc_proto.ibc.core.channel.v1 import tx_pb2


@message(tx_pb2.MsgChannelOpenInit, response(tx_pb2.MsgChannelOpenInitResponse, "channel_id", "version"))
@value
class MsgChannelOpenInit(Msg):
    """Chain A starts a channel."""

    port_id_on_a: Annotated[str, Wire("port_id")]
    channel: ChannelEnd
    signer: Signer
    channel_id_on_a: Annotated[str, Absent("")] = ""  # chosen; "": generated

    def check(self, chain: HasAddresses) -> None:
        """Stateless checks.

        Raises:
            InvalidIdentifier, InvalidChannelState, InvalidChannelCounterparty, InvalidAddress,
            InvalidChannelOrdering, TooManyConnectionHops.
        """
        validate_port_id(self.port_id_on_a)
        check_state(self.channel, self.port_id_on_a, ChannelState.INIT)
        if self.channel.counterparty.channel_id:
            raise InvalidChannelCounterparty("channel identifier must be empty")
        chain.addresses.decode(self.signer, "signer")
        check_end(self.channel)
