"""Chain A learns chain B's answer (ICS-4 acknowledgePacket)."""

from typing import NamedTuple

from handlers.packet.route import check_commitment, check_destination
from ibc_core import paths
from ibc_core.address import Address
from ibc_core.application.classic import Acknowledged, BoundApp
from ibc_core.channel import events as channel_events
from ibc_core.channel.types import ChannelEnd, Order
from ibc_core.errors import PacketSequenceOutOfOrder
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.packet.acknowledge import MsgAcknowledgement
from ibc_core.packet.acknowledgement import check_canonical
from ibc_core.packet.outcome import REDUNDANT, Outcome, Redundant
from ibc_core.packet.types import (
    Packet,
    acknowledge_packet_event,
    acknowledgement_commitment,
    packet_commitment,
)
from keepers.keepers import Keepers
from light_client.interface import ProofEffect


class VerifiedAck(NamedTuple):
    """An answer that chain B wrote to a packet of ours that is still open."""

    packet: Packet
    acknowledgement: bytes
    end_on_a: ChannelEnd
    app: BoundApp
    relayer: Address
    effect: ProofEffect | None  # what the proof leaves to write


def validate(keepers: Keepers, ctx: ReadContext, msg: MsgAcknowledgement) -> VerifiedAck | Redundant:
    """Checks that the packet is ours and open, and that B answered so.

    Raises:
        InvalidRoute, ChannelNotFound, InvalidChannelState, InvalidPacket: not this channel's packet.
        ConnectionNotFound, InvalidConnectionState: no open connection.
        InvalidAcknowledgement: a standard acknowledgement that is not in its one standard form.
        ClientNotActive, DelayPeriodNotPassed, InvalidProof, ...: B's acknowledgement is not proven.
        PacketSequenceOutOfOrder: an ordered channel expects another sequence.
    """
    packet = msg.packet
    # CHANNEL
    app = keepers.ports.route(packet.port_id_on_a)
    end_on_a = keepers.channels.get_open(ctx, packet.port_id_on_a, packet.channel_id_on_a)
    # guard: h40-a-packet-went-to-any-channel test_h40_an_answer_comes_from_the_other_end_of_its_channel
    check_destination(end_on_a, packet)
    connection = keepers.connections.get_open(ctx, end_on_a.connection_hops[0])
    # REPLAY: a packet without a commitment was acknowledged or timed out
    commitment = keepers.packets.commitment(ctx, packet)
    if commitment is None:
        return REDUNDANT
    # guard: h8-core-takes-any-form test_h8_core_takes_only_the_one_form_of_a_standard_acknowledgement
    check_canonical(msg.acknowledgement)
    check_commitment(commitment, packet_commitment(packet))
    # PROOF
    # guard: h23-answer-under-the-own-port other:port_id_on_b
    #   test_h23_each_proof_is_looked_for_under_the_names_of_the_other_end
    # guard: h23-answer-under-the-own-channel other:channel_id_on_b
    #   test_h23_each_proof_is_looked_for_under_the_names_of_the_other_end
    effect = keepers.connections.verify_packet(
        ctx,
        connection,
        msg.proof_height_on_b,
        msg.proof_ack_on_b,
        paths.packet_acknowledgement_path(packet.port_id_on_b, packet.channel_id_on_b, packet.sequence),
        acknowledgement_commitment(msg.acknowledgement),
    )
    if end_on_a.ordering is Order.ORDERED:
        expected = keepers.channels.next_ack(ctx, packet.port_id_on_a, packet.channel_id_on_a)
        if packet.sequence != expected:
            raise PacketSequenceOutOfOrder(expected, packet.sequence)
    relayer = keepers.addresses.decode(msg.signer, "signer")
    return VerifiedAck(packet, msg.acknowledgement, end_on_a, app, relayer, effect)


def execute(keepers: Keepers, ctx: WriteContext, verified: VerifiedAck) -> Outcome:
    """Closes the packet, then tells the application.

    Runs on: A.
    Proves: B's acknowledgement.
    Writes: nextSequenceAck (ordered), deletes commitments; clients/{id}/ (where a proof is used up).
    Emits: acknowledge_packet.
    """
    packet, acknowledgement, end_on_a, app, relayer, effect = verified
    keepers.clients.settle(ctx, effect)
    # STATE: before the application is called, so that it cannot be refunded twice (H5)
    if end_on_a.ordering is Order.ORDERED:
        keepers.channels.set_next_ack(ctx, packet.port_id_on_a, packet.channel_id_on_a, packet.sequence + 1)
    # guard: h5-acknowledge-deletes-after-the-callback swap:on_acknowledgement_packet
    #   test_security_packets::test_h5_reentrant_app_cannot_be_refunded_twice
    #   test_security_packets::test_h5_the_commitment_is_gone_before_the_application_is_told
    keepers.packets.delete_commitment(ctx, packet)
    # EVENTS
    ctx.emit(acknowledge_packet_event(packet, end_on_a))
    ctx.emit(channel_events.MODULE)
    # APP
    acknowledged = Acknowledged(end_on_a.version, packet, acknowledgement, relayer)
    app.on_acknowledgement_packet(ctx, acknowledged)
    return Outcome.SUCCESS
