"""Chain B acknowledges a packet, synchronously or asynchronously (ICS-4 v2 writeAcknowledgement)."""

from typing import NamedTuple

from handlers.packet_v2.route import head
from keepers.keepers import Keepers
from pyibc.core.errors import AcknowledgementExistsV2, InvalidPacketV2
from pyibc.core.host.block import Attribute
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.packet_v2 import events as channel_v2_events
from pyibc.core.packet_v2.types import (
    AcknowledgementV2,
    PacketV2,
    check_acknowledgement,
    check_answers,
    encode_acknowledgement,
)
from pyibc.isolation.limits import MAX_ACKNOWLEDGEMENT, check_size


class VerifiedAnswerV2(NamedTuple):
    """An acknowledgement that may be written."""

    packet: PacketV2
    acknowledgement: AcknowledgementV2


def validate(
    keepers: Keepers, ctx: ReadContext, packet: PacketV2, acknowledgement: AcknowledgementV2
) -> VerifiedAnswerV2:
    """Check that the packet was received and not acknowledged, and that the acknowledgement matches it.

    Raises:
        InvalidAcknowledgementV2: the acknowledgement is malformed, or has a wrong number of entries.
        ClientCounterpartyNotFound, InvalidClientCounterparty: the packet is not of this client.
        AcknowledgementExistsV2: the packet is already acknowledged.
        InvalidPacketV2: the packet was not received.
        TooLarge: the acknowledgement is too large to be relayed in a transaction.
    """
    size = sum([len(each) for each in acknowledgement])
    check_size("acknowledgement", size, MAX_ACKNOWLEDGEMENT)
    check_acknowledgement(acknowledgement, several=keepers.v2.several_payloads)
    check_answers(packet, acknowledgement)
    keepers.v2.clients.check_counterparty(ctx, packet.client_id_on_b, packet.client_id_on_a)
    if keepers.v2.packets.has_acknowledgement(ctx, packet):
        raise AcknowledgementExistsV2(packet.client_id_on_b, packet.sequence)
    if not keepers.v2.packets.has_receipt(ctx, packet):
        raise InvalidPacketV2(f"{packet.client_id_on_b}/{packet.sequence} was not received")
    return VerifiedAnswerV2(packet, acknowledgement)


def execute(
    keepers: Keepers, ctx: WriteContext, verified: VerifiedAnswerV2, attributes: tuple[Attribute, ...]
) -> None:
    """Write the acknowledgement commitment; `attributes` is the result of `route.head`.

    Runs on: B. Proves: nothing. Writes: {id} 03 (acknowledgements). Emits: write_acknowledgement.
    """
    packet, acknowledgement = verified
    keepers.v2.packets.set_acknowledgement(ctx, packet, acknowledgement)
    encoded = encode_acknowledgement(acknowledgement)
    ctx.emit(channel_v2_events.write_acknowledgement(attributes, encoded))
    ctx.emit(channel_v2_events.MODULE)


def write_later(
    keepers: Keepers, ctx: WriteContext, client_id_on_b: str, sequence: int, answer: AcknowledgementV2
) -> None:
    """Write an asynchronous acknowledgement.

    Raises:
        InvalidAcknowledgementV2: no such packet awaits an acknowledgement, or the acknowledgement is
            malformed.
        IbcError: see `validate`.
    """
    packet = keepers.v2.packets.async_packet(ctx, client_id_on_b, sequence)
    execute(keepers, ctx, validate(keepers, ctx, packet, answer), head(packet))
    keepers.v2.packets.delete_async_packet(ctx, packet)
