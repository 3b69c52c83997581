"""Chain B acknowledges a packet, synchronously or asynchronously (ICS-4 writeAcknowledgement)."""

from typing import NamedTuple

from keepers.keepers import Keepers
from pyibc.core.channel import events as channel_events
from pyibc.core.channel.types import ChannelEnd
from pyibc.core.errors import AcknowledgementExists, InvalidAcknowledgement
from pyibc.core.host.block import Attribute
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.packet.types import Packet, write_acknowledgement_event
from pyibc.isolation.limits import MAX_ACKNOWLEDGEMENT, check_size


class VerifiedAnswer(NamedTuple):
    """An acknowledgement that may be written."""

    packet: Packet
    acknowledgement: bytes
    end_on_b: ChannelEnd


def validate(keepers: Keepers, ctx: ReadContext, packet: Packet, acknowledgement: bytes) -> VerifiedAnswer:
    """Check that the packet's channel is open, and that the packet is not acknowledged yet.

    Raises:
        ChannelNotFound, InvalidChannelState: there is no open channel.
        AcknowledgementExists: the packet is already acknowledged.
        InvalidAcknowledgement: the acknowledgement is empty.
        TooLarge: the acknowledgement is too large to be relayed in a transaction.
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
    """Write the acknowledgement commitment; `head` is the result of `event_head`.

    Runs on: B. Proves: nothing. Writes: acks. Emits: write_acknowledgement.
    """
    packet, acknowledgement, end_on_b = verified
    keepers.packets.set_acknowledgement(ctx, packet, acknowledgement)
    ctx.emit(write_acknowledgement_event(head, acknowledgement, end_on_b))
    ctx.emit(channel_events.MODULE)
