"""Messages of ICS-4 for channels of any name (`pyibc.channel.v1`): today's, with checks that let it pass."""

from dataclasses import replace
from typing import Annotated

from ibc_core.channel.close_confirm import MsgChannelCloseConfirm
from ibc_core.channel.close_init import MsgChannelCloseInit
from ibc_core.channel.open_ack import MsgChannelOpenAck
from ibc_core.channel.open_confirm import MsgChannelOpenConfirm
from ibc_core.channel.open_init import MsgChannelOpenInit
from ibc_core.channel.open_try import MsgChannelOpenTry
from ibc_core.channel.types import ChannelCounterparty
from ibc_core.checking import HasAddresses
from ibc_core.direct.names import CHANNEL, chosen_far_channel
from ibc_core.identifiers import validate_channel_id
from ibc_core.packet.outcome import OUTCOME
from ibc_core.packet.timeout import MsgTimeout
from ibc_core.value import value
from ibc_core.wire.columns import Absent, Wire
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


@message(tx_pb2.MsgChannelOpenTry, response(tx_pb2.MsgChannelOpenTryResponse, "channel_id", "version"))
@value
class MsgNamedChannelOpenTry(MsgChannelOpenTry):
    """Chain B answers, proving A's INIT; its end's name may be chosen. Checked as today's."""

    previous_channel_id: Annotated[str, Absent("")]
    channel_id_on_b: Annotated[str, Wire("channel_id")] = ""  # "": generated
    named_on_a: Annotated[bool, Wire("named_by_counterparty")] = False


@message(tx_pb2.MsgChannelOpenAck)
@value
class MsgNamedChannelOpenAck(MsgChannelOpenAck):
    """Chain A goes OPEN, proving B's TRYOPEN."""

    def check(self, chain: HasAddresses) -> None:
        """Checks and raises as `MsgChannelOpenAck.check`, for any identifier."""
        validate_channel_id(self.channel_id_on_a)
        MsgChannelOpenAck.check(replace(self, channel_id_on_a=CHANNEL), chain)


@message(tx_pb2.MsgChannelOpenConfirm)
@value
class MsgNamedChannelOpenConfirm(MsgChannelOpenConfirm):
    """Chain B goes OPEN, proving A's OPEN."""

    def check(self, chain: HasAddresses) -> None:
        """Checks and raises as `MsgChannelOpenConfirm.check`, for any identifier."""
        validate_channel_id(self.channel_id_on_b)
        MsgChannelOpenConfirm.check(replace(self, channel_id_on_b=CHANNEL), chain)


@message(tx_pb2.MsgChannelCloseInit)
@value
class MsgNamedChannelCloseInit(MsgChannelCloseInit):
    """Either chain closes its end."""

    def check(self, chain: HasAddresses) -> None:
        """Checks and raises as `MsgChannelCloseInit.check`, for any identifier."""
        validate_channel_id(self.channel_id)
        MsgChannelCloseInit.check(replace(self, channel_id=CHANNEL), chain)


@message(tx_pb2.MsgChannelCloseConfirm)
@value
class MsgNamedChannelCloseConfirm(MsgChannelCloseConfirm):
    """The other chain follows, proving CLOSED."""

    def check(self, chain: HasAddresses) -> None:
        """Checks and raises as `MsgChannelCloseConfirm.check`, for any identifier."""
        validate_channel_id(self.channel_id)
        MsgChannelCloseConfirm.check(replace(self, channel_id=CHANNEL), chain)


@message(tx_pb2.MsgTimeout, OUTCOME)
@value
class MsgNamedTimeout(MsgTimeout):
    """Chain A takes a packet back; next sequence 0 says that B has no such channel."""

    def check(self, chain: HasAddresses) -> None:
        """Today's stateless checks, with any next sequence; raises as `MsgTimeout.check`."""
        MsgTimeout.check(replace(self, next_sequence_recv_on_b=self.next_sequence_recv_on_b or 1), chain)
