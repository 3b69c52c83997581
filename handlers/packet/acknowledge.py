"""Handler of MsgAcknowledgement: chain A processes an acknowledgement (ICS-4 acknowledgePacket)."""

from typing import NamedTuple

from handlers.packet.route import check_commitment, check_destination
from keepers.keepers import Keepers
from light_client.interface import ProofEffect
from pyibc.core import paths
from pyibc.core.address import Address
from pyibc.core.application.classic import Acknowledged, BoundApp
from pyibc.core.channel import events as channel_events
from pyibc.core.channel.types import ChannelEnd, Order
from pyibc.core.errors import PacketSequenceOutOfOrder
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.packet.acknowledgement import check_canonical
from pyibc.core.packet.messages import REDUNDANT, MsgAcknowledgement, Outcome, Redundant
from pyibc.core.packet.types import (
    Packet,
    acknowledge_packet_event,
    acknowledgement_commitment,
    packet_commitment,
)


class VerifiedAck(NamedTuple):
    """Chain B's acknowledgement of a packet whose commitment is stored."""

    packet: Packet
    acknowledgement: bytes
    end_on_a: ChannelEnd
    app: BoundApp
    relayer: Address
    effect: ProofEffect | None  # of the proof


def validate(keepers: Keepers, ctx: ReadContext, msg: MsgAcknowledgement) -> VerifiedAck | Redundant:
    """Check that the packet's commitment is stored, and that chain B wrote this acknowledgement.

    Raises:
        InvalidRoute, ChannelNotFound, InvalidChannelState, InvalidPacket: the packet is not of this channel.
        ConnectionNotFound, InvalidConnectionState: there is no open connection.
        InvalidAcknowledgement: a standard acknowledgement is not in the canonical encoding.
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
    """Delete the commitment, then call the application.

    Runs on: A. Proves: B's acknowledgement. Writes: nextSequenceAck (ordered), deletes commitments;
    clients/{id}/ (by a single-use proof). Emits: acknowledge_packet.
    """
    packet, acknowledgement, end_on_a, app, relayer, effect = verified
    keepers.clients.apply_effect(ctx, effect)
    # STATE: before the callback, so that a packet cannot be refunded twice (H5)
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
