"""Chain B answers a packet (ICS-4 writeAcknowledgement): at once, or later if the application is slow."""

from typing import NamedTuple

from ibc_core.application.answers import MAX_ACKNOWLEDGEMENT, check_size
from ibc_core.channel import events as channel_events
from ibc_core.channel.types import ChannelEnd
from ibc_core.errors import AcknowledgementExists, InvalidAcknowledgement
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.host.events import Attribute
from ibc_core.packet.types import Packet, write_acknowledgement_event
from keepers.keepers import Keepers


class VerifiedAnswer(NamedTuple):
    """An acknowledgement that may be written."""

    packet: Packet
    acknowledgement: bytes
    end_on_b: ChannelEnd


def validate(keepers: Keepers, ctx: ReadContext, packet: Packet, acknowledgement: bytes) -> VerifiedAnswer:
    """Checks that the packet's channel is open and that it was not answered before.

    Raises:
        ChannelNotFound, InvalidChannelState: no open channel.
        AcknowledgementExists: answered already.
        InvalidAcknowledgement: the answer is empty.
        TooLarge: it is larger than any transaction could bring back.
    """
    check_size("acknowledgement", len(acknowledgement), MAX_ACKNOWLEDGEMENT)
    end_on_b = keepers.channels.get_open(ctx, packet.port_id_on_b, packet.channel_id_on_b)
    if keepers.packets.has_acknowledgement(ctx, packet):
        raise AcknowledgementExists(packet.port_id_on_b, packet.channel_id_on_b, packet.sequence)
    if not acknowledgement:
        raise InvalidAcknowledgement("it is empty")
    return VerifiedAnswer(packet, acknowledgement, end_on_b)


def execute(
    keepers: Keepers, ctx: WriteContext, verified: VerifiedAnswer, head: tuple[Attribute, ...]
) -> None:
    """Commits to the acknowledgement; `head` is `event_head` of the packet.

    Runs on: B.
    Proves: nothing.
    Writes: acks.
    Emits: write_acknowledgement.
    """
    packet, acknowledgement, end_on_b = verified
    keepers.packets.set_acknowledgement(ctx, packet, acknowledgement)
    ctx.emit(write_acknowledgement_event(head, acknowledgement, end_on_b))
    ctx.emit(channel_events.MODULE)
