"""Handler of MsgTimeout: chain A times out a packet (ICS-4 timeoutPacket)."""

from typing import NamedTuple

from handlers.packet.route import check_commitment, check_destination
from keepers.keepers import Keepers
from light_client.interface import ProofEffect
from pyibc.core import paths
from pyibc.core.address import Address
from pyibc.core.application.classic import BoundApp, TimedOut
from pyibc.core.channel import events as channel_events
from pyibc.core.channel.types import ChannelEnd, ChannelState, Order
from pyibc.core.connection.types import ConnectionEnd
from pyibc.core.errors import InvalidChannelOrdering, PacketReceived, TimeoutNotReached
from pyibc.core.height import Height
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.numbers import be8
from pyibc.core.packet.messages import REDUNDANT, MsgTimeout, Outcome, Redundant
from pyibc.core.packet.types import Packet, packet_commitment, timeout_elapsed, timeout_packet_event


class VerifiedTimeout(NamedTuple):
    """A packet that has timed out on chain B."""

    packet: Packet
    end_on_a: ChannelEnd
    app: BoundApp
    relayer: Address
    effect: ProofEffect | None  # of the proof


def validate(keepers: Keepers, ctx: ReadContext, msg: MsgTimeout) -> VerifiedTimeout | Redundant:
    """Check that the packet's commitment is stored, that chain B is past its timeout and has not received it.

    The states of channel and connection are not checked: packets of a closed channel can be timed out as
    well.

    Raises:
        InvalidRoute, ChannelNotFound, InvalidPacket, ConnectionNotFound: the packet is not of this channel.
        ConsensusStateNotFound: there is no consensus state at the proof's height.
        TimeoutNotReached: chain B may still receive the packet.
        PacketReceived: on an ordered channel, chain B's next sequence is beyond the packet's.
        ClientNotActive, DelayPeriodNotPassed, InvalidProof, ...: the proof does not verify.
    """
    packet = msg.packet
    # CHANNEL
    app = keepers.ports.route(packet.port_id_on_a)
    end_on_a = keepers.channels.get(ctx, packet.port_id_on_a, packet.channel_id_on_a)
    # guard: h40-a-late-packet-went-to-any-channel drop
    #   test_h40_a_receipt_that_another_channel_lacks_refunds_nothing
    check_destination(end_on_a, packet)
    connection = keepers.connections.get(ctx, end_on_a.connection_hops[0])
    # TIMEOUT: by chain B's clock at the proof's height
    height_on_b = msg.proof_height_on_b
    time_on_b = keepers.clients.timestamp_at(ctx, connection.client_id, height_on_b)
    if not timeout_elapsed(packet.timeout_height_on_b, packet.timeout_ns_on_b, height_on_b, time_on_b):
        raise TimeoutNotReached(str(height_on_b), time_on_b)
    # REPLAY: a packet without a commitment was acknowledged or timed out
    commitment = keepers.packets.commitment(ctx, packet)
    if commitment is None:
        return REDUNDANT
    check_commitment(commitment, packet_commitment(packet))
    # PROOF
    next_recv = msg.next_sequence_recv_on_b
    if end_on_a.ordering is Order.ORDERED and next_recv > packet.sequence:
        raise PacketReceived(packet.sequence, f"the next sequence on the other chain is {next_recv}")
    effect = prove_unreceived(
        keepers, ctx, connection, end_on_a, packet, height_on_b, msg.proof_unreceived_on_b, next_recv
    )
    return VerifiedTimeout(packet, end_on_a, app, keepers.addresses.decode(msg.signer, "signer"), effect)


def prove_unreceived(
    keepers: Keepers,
    ctx: ReadContext,
    connection: ConnectionEnd,
    end_on_a: ChannelEnd,
    packet: Packet,
    height_on_b: Height,
    proof: bytes,
    next_recv_on_b: int,
) -> ProofEffect | None:
    """Verify that chain B has not received the packet, by its next sequence or the absence of a receipt.

    Next sequence 0, which no current message can have, means that chain B has no such channel and no counter.

    Raises:
        InvalidProof, ClientNotActive, DelayPeriodNotPassed, ...: the proof does not verify.
        InvalidChannelOrdering: the channel has no ordering.
    """
    if end_on_a.ordering is Order.ORDERED:
        # guard: h23-next-sequence-under-the-own-port other:port_id_on_b
        #   test_timeout::test_an_ordered_packet_closes_its_channel
        # guard: h23-next-sequence-under-the-own-channel other:channel_id_on_b
        #   test_timeout::test_an_ordered_packet_closes_its_channel
        path = paths.next_sequence_recv_path(packet.port_id_on_b, packet.channel_id_on_b)
        if next_recv_on_b == 0:
            return keepers.connections.verify_packet_absent(ctx, connection, height_on_b, proof, path)
        value = be8(next_recv_on_b)
        return keepers.connections.verify_packet(ctx, connection, height_on_b, proof, path, value)
    if end_on_a.ordering is Order.UNORDERED:
        # guard: h23-receipt-under-the-own-port other:port_id_on_b
        #   test_a_receipt_lacks_under_the_destination_s_names
        # guard: h23-receipt-under-the-own-channel other:channel_id_on_b
        #   test_a_receipt_lacks_under_the_destination_s_names
        path = paths.packet_receipt_path(packet.port_id_on_b, packet.channel_id_on_b, packet.sequence)
        return keepers.connections.verify_packet_absent(ctx, connection, height_on_b, proof, path)
    raise InvalidChannelOrdering("ORDER_ORDERED or ORDER_UNORDERED", end_on_a.ordering.text)


def execute(keepers: Keepers, ctx: WriteContext, verified: VerifiedTimeout) -> Outcome:
    """Delete the commitment, close an ordered channel, then call the application.

    Runs on: A. Proves: B's next sequence | the absence of B's receipt. Writes: deletes commitments;
    channelEnds (ordered); clients/{id}/ (by a single-use proof). Emits: channel_close (ordered),
    timeout_packet.
    """
    packet, end_on_a, app, relayer, effect = verified
    keepers.clients.apply_effect(ctx, effect)
    # STATE: before the callback, so that a packet cannot be refunded twice (H5)
    # guard: h5-timeout-deletes-after-the-callback swap:on_timeout_packet
    #   test_security_packets::test_h5_reentrant_app_cannot_be_refunded_twice
    #   test_security_packets::test_h5_the_commitment_is_gone_before_the_application_is_told
    # guard: h5-timeout-never-deletes test_security_packets::test_h5_reentrant_app_cannot_be_refunded_twice
    #   test_security_packets::test_h5_the_commitment_is_gone_before_the_application_is_told
    #   test_h38_a_second_timeout_on_close_does_nothing
    keepers.packets.delete_commitment(ctx, packet)
    if end_on_a.ordering is Order.ORDERED:
        end_on_a = close(keepers, ctx, packet, end_on_a)
    # EVENTS
    ctx.emit(timeout_packet_event(packet, end_on_a))
    ctx.emit(channel_events.MODULE)
    # APP
    app.on_timeout_packet(ctx, TimedOut(end_on_a.version, packet, relayer))
    return Outcome.SUCCESS


def close(keepers: Keepers, ctx: WriteContext, packet: Packet, end_on_a: ChannelEnd) -> ChannelEnd:
    """Close an ordered channel, as later packets cannot be delivered in order any more."""
    closed = end_on_a.in_state(ChannelState.CLOSED)
    keepers.channels.set(ctx, packet.port_id_on_a, packet.channel_id_on_a, closed)
    ctx.emit(channel_events.closed_by_timeout(packet, closed))
    ctx.emit(channel_events.MODULE)
    return closed
