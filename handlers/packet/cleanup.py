"""Chain A forgets a packet that chain B received (ICS-4 cleanupPacket): nobody acts on the answer.

A packet whose application waits for the answer, a transfer's above all, must not be forgotten: the
application itself cleans up (`handlers.direct`), or says in its callback that others may.
"""

from collections.abc import Callable
from typing import NamedTuple

from handlers.packet.route import check_commitment, check_destination
from ibc_core import paths
from ibc_core.address import Address
from ibc_core.application.classic import BoundApp, CleanedUp
from ibc_core.channel import events as channel_events
from ibc_core.channel.types import ChannelEnd, Order
from ibc_core.connection.types import ConnectionEnd
from ibc_core.errors import InvalidAcknowledgement, InvalidSequence, PacketSequenceOutOfOrder
from ibc_core.errors.direct import CleanupRefused
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.numbers import be8, u64
from ibc_core.packet.cleanup import MsgCleanupPacket
from ibc_core.packet.outcome import REDUNDANT, Outcome, Redundant
from ibc_core.packet.types import Packet, acknowledgement_commitment, cleanup_packet_event, packet_commitment
from keepers.keepers import Keepers
from light_client.interface import ProofEffect

Callback = Callable[[WriteContext, CleanedUp], None]
"""`on_cleanup_packet` of an application."""


class VerifiedCleanup(NamedTuple):
    """A packet of ours that chain B received."""

    packet: Packet
    acknowledgement: bytes
    end_on_a: ChannelEnd
    callback: Callback
    relayer: Address
    effect: ProofEffect | None  # what the proof leaves to write


def validate(keepers: Keepers, ctx: ReadContext, msg: MsgCleanupPacket) -> VerifiedCleanup | Redundant:
    """Checks that the packet is ours and open, and that B received it.

    On an ordered channel packets are cleaned up in the order they were sent, as they are acknowledged.

    Raises:
        InvalidRoute, CleanupRefused: no application that lets packets be cleaned up.
        ChannelNotFound, InvalidChannelState, InvalidPacket, ConnectionNotFound: not this channel's packet.
        InvalidSequence: B's next sequence is not beyond it (ordered).
        InvalidAcknowledgement: no answer is shown (unordered).
        PacketSequenceOutOfOrder: an ordered channel expects another sequence.
        ClientNotActive, DelayPeriodNotPassed, InvalidProof, ...: not proven.
    """
    port_id = msg.packet.port_id_on_a
    return prove(keepers, ctx, msg, callback_of(keepers.ports.route(port_id), port_id))


def prove(
    keepers: Keepers, ctx: ReadContext, msg: MsgCleanupPacket, callback: Callback
) -> VerifiedCleanup | Redundant:
    """What `validate` checks beside the application.

    Raises:
        IbcError: see `validate`.
    """
    packet = msg.packet
    # CHANNEL
    end_on_a = keepers.channels.get_open(ctx, packet.port_id_on_a, packet.channel_id_on_a)
    check_destination(end_on_a, packet)
    connection = keepers.connections.get(ctx, end_on_a.connection_id)
    _check_claim(end_on_a, msg)
    # REPLAY
    commitment = keepers.packets.commitment(ctx, packet)
    if commitment is None:
        return REDUNDANT
    check_commitment(commitment, packet_commitment(packet))
    if end_on_a.ordering is Order.ORDERED:
        expected = keepers.channels.next_ack(ctx, packet.port_id_on_a, packet.channel_id_on_a)
        if packet.sequence != expected:
            raise PacketSequenceOutOfOrder(expected, packet.sequence)
    # PROOF
    effect = _prove_received(keepers, ctx, connection, end_on_a, msg)
    relayer = keepers.addresses.decode(msg.signer, "signer")
    return VerifiedCleanup(packet, msg.acknowledgement, end_on_a, callback, relayer, effect)


def callback_of(app: BoundApp, port_id: str) -> Callback:
    """What the application is asked about cleaning up with.

    Raises:
        CleanupRefused: it has no such callback; a middleware that does not hand it on has none either.
    """
    if app.on_cleanup_packet is None:
        raise CleanupRefused(port_id)
    return app.on_cleanup_packet


def _check_claim(end_on_a: ChannelEnd, msg: MsgCleanupPacket) -> None:
    if end_on_a.ordering is Order.ORDERED:
        if u64(msg.next_sequence_recv_on_b, "next_sequence_recv") <= msg.packet.sequence:
            raise InvalidSequence("next_sequence_recv", msg.next_sequence_recv_on_b)
    elif not msg.acknowledgement:
        raise InvalidAcknowledgement("it is empty")


def _prove_received(
    keepers: Keepers, ctx: ReadContext, connection: ConnectionEnd, end_on_a: ChannelEnd, msg: MsgCleanupPacket
) -> ProofEffect | None:
    packet = msg.packet
    if end_on_a.ordering is Order.ORDERED:
        # guard: h23-cleaned-sequence-under-the-own-port other:port_id_on_b
        #   test_h23_cleaning_up_is_proven_under_the_port_and_channel_of_the_other_end
        # guard: h23-cleaned-sequence-under-the-own-channel other:channel_id_on_b
        #   test_h23_cleaning_up_is_proven_under_the_port_and_channel_of_the_other_end
        path = paths.next_sequence_recv_path(packet.port_id_on_b, packet.channel_id_on_b)
        value = be8(msg.next_sequence_recv_on_b)
    else:
        # guard: h23-cleaned-answer-under-the-own-port other:port_id_on_b
        #   test_h23_cleaning_up_is_proven_under_the_port_and_channel_of_the_other_end
        # guard: h23-cleaned-answer-under-the-own-channel other:channel_id_on_b
        #   test_h23_cleaning_up_is_proven_under_the_port_and_channel_of_the_other_end
        path = paths.packet_acknowledgement_path(packet.port_id_on_b, packet.channel_id_on_b, packet.sequence)
        value = acknowledgement_commitment(msg.acknowledgement)
    height, proof = msg.proof_height_on_b, msg.proof_received_on_b
    return keepers.connections.verify_packet(ctx, connection, height, proof, path, value)


def execute(keepers: Keepers, ctx: WriteContext, verified: VerifiedCleanup) -> Outcome:
    """Closes the packet, then asks the application.

    Runs on: A.
    Proves: B's next sequence | B's acknowledgement.
    Writes: nextSequenceAck (ordered), deletes commitments; clients/{id}/ (where a proof is used up).
    Emits: cleanup_packet.
    """
    packet, acknowledgement, end_on_a, callback, relayer, effect = verified
    keepers.clients.settle(ctx, effect)
    # STATE
    if end_on_a.ordering is Order.ORDERED:
        keepers.channels.set_next_ack(ctx, packet.port_id_on_a, packet.channel_id_on_a, packet.sequence + 1)
    keepers.packets.delete_commitment(ctx, packet)
    # EVENTS
    ctx.emit(cleanup_packet_event(packet, end_on_a))
    ctx.emit(channel_events.MODULE)
    # APP
    callback(ctx, CleanedUp(end_on_a.version, packet, acknowledgement, relayer))
    return Outcome.SUCCESS
