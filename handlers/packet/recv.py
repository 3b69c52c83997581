"""Handler of MsgRecvPacket: chain B receives a packet (ICS-4 recvPacket)."""

from typing import NamedTuple

from handlers.packet import write_acknowledgement
from keepers.keepers import Keepers
from light_client.interface import ProofEffect
from pyibc.core import paths
from pyibc.core.address import Address
from pyibc.core.application.classic import AppAcknowledgement, BoundApp, Received
from pyibc.core.channel import events as channel_events
from pyibc.core.channel.types import ChannelEnd, Order
from pyibc.core.errors import InvalidChannelOrdering, InvalidPacket, PacketSequenceOutOfOrder, TimeoutElapsed
from pyibc.core.host.block import Attribute
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.packet.messages import REDUNDANT, MsgRecvPacket, Outcome, Redundant
from pyibc.core.packet.types import Packet, event_head, packet_commitment, recv_packet_event, timeout_elapsed


class ProvenRecv(NamedTuple):
    """Chain B's channel end of a proven packet, and the effect of the proof."""

    end_on_b: ChannelEnd
    effect: ProofEffect | None


class VerifiedRecv(NamedTuple):
    """A proven packet that chain B has not received yet."""

    packet: Packet
    end_on_b: ChannelEnd
    app: BoundApp
    relayer: Address
    effect: ProofEffect | None  # of the proof


def validate(keepers: Keepers, ctx: ReadContext, msg: MsgRecvPacket) -> VerifiedRecv | Redundant:
    """Check that chain A sent the packet over this channel, and that it is neither timed out nor received.

    Raises:
        InvalidRoute, ChannelNotFound, InvalidChannelState, InvalidPacket: the packet is not of this channel.
        ConnectionNotFound, InvalidConnectionState: there is no open connection.
        TimeoutElapsed: the packet has timed out.
        ClientNotActive, DelayPeriodNotPassed, InvalidProof, ...: A's commitment is not proven.
        PacketSequenceOutOfOrder: an ordered channel expects another sequence.
    """
    app = keepers.ports.route(msg.packet.port_id_on_b)
    proven = verify(keepers, ctx, msg)
    if isinstance(proven, Redundant):
        return REDUNDANT
    relayer = keepers.addresses.decode(msg.signer, "signer")
    return VerifiedRecv(msg.packet, proven.end_on_b, app, relayer, proven.effect)


def verify(keepers: Keepers, ctx: ReadContext, msg: MsgRecvPacket) -> ProvenRecv | Redundant:
    """Run the checks of `validate` except for the application's route.

    Raises:
        IbcError: see `validate`.
    """
    packet = msg.packet
    # CHANNEL
    end_on_b = keepers.channels.get_open(ctx, packet.port_id_on_b, packet.channel_id_on_b)
    # guard: h40-a-packet-comes-from-any-channel test_h40_a_packet_comes_from_the_other_end_of_its_channel
    check_source(end_on_b, packet)
    connection = keepers.connections.get_open(ctx, end_on_b.connection_hops[0])
    # TIMEOUT
    if timeout_elapsed(packet.timeout_height_on_b, packet.timeout_ns_on_b, ctx.height, ctx.time_ns):
        raise TimeoutElapsed(str(ctx.height), ctx.time_ns)
    # PROOF
    # guard: h23-commitment-under-the-own-port other:port_id_on_a
    #   test_h23_each_proof_is_looked_for_under_the_names_of_the_other_end
    # guard: h23-commitment-under-the-own-channel other:channel_id_on_a
    #   test_h23_each_proof_is_looked_for_under_the_names_of_the_other_end
    effect = keepers.connections.verify_packet(
        ctx,
        connection,
        msg.proof_height_on_a,
        msg.proof_commitment_on_a,
        paths.packet_commitment_path(packet.port_id_on_a, packet.channel_id_on_a, packet.sequence),
        packet_commitment(packet),
    )
    # REPLAY
    if was_received(keepers, ctx, packet, end_on_b.ordering):
        return REDUNDANT
    return ProvenRecv(end_on_b, effect)


def check_source(end_on_b: ChannelEnd, packet: Packet) -> None:
    """Check that the packet's source is the counterparty of chain B's channel end.

    Raises:
        InvalidPacket: the source port or channel differs.
    """
    counterparty = end_on_b.counterparty
    if packet.port_id_on_a != counterparty.port_id:
        raise InvalidPacket(f"source port {packet.port_id_on_a} is not {counterparty.port_id}")
    if packet.channel_id_on_a != counterparty.channel_id:
        raise InvalidPacket(f"source channel {packet.channel_id_on_a} is not {counterparty.channel_id}")


def was_received(keepers: Keepers, ctx: ReadContext, packet: Packet, ordering: Order) -> bool:
    """Return whether chain B has already received the packet.

    Raises:
        PacketSequenceOutOfOrder: an ordered channel expects another sequence.
        SequenceReceiveNotFound, InvalidChannelOrdering: the channel cannot receive packets.
    """
    if ordering is Order.UNORDERED:
        return keepers.packets.has_receipt(ctx, packet)
    if ordering is not Order.ORDERED:
        raise InvalidChannelOrdering("ORDER_ORDERED or ORDER_UNORDERED", ordering.text)
    expected = keepers.channels.next_recv(ctx, packet.port_id_on_b, packet.channel_id_on_b)
    if packet.sequence > expected:
        raise PacketSequenceOutOfOrder(expected, packet.sequence)
    return packet.sequence < expected


def execute(keepers: Keepers, ctx: WriteContext, verified: VerifiedRecv) -> Outcome:
    """Mark the packet as received, call the application in a branch, write the acknowledgement.

    Runs on: B. Proves: A's commitment. Writes: receipts | nextSequenceRecv, acks; clients/{id}/ (by a
    single-use proof). Emits: recv_packet, write_acknowledgement.
    """
    packet, end_on_b, app, relayer, effect = verified
    keepers.clients.apply_effect(ctx, effect)
    # STATE: before the callback, so that it cannot receive the packet again
    # guard: h5-recv-marks-after-the-callback swap:answer test_h5_reentrant_app_cannot_receive_twice
    mark_received(keepers, ctx, packet, end_on_b.ordering)
    head = event_head(packet)
    ctx.emit(recv_packet_event(head, end_on_b))
    ctx.emit(channel_events.MODULE)
    # APP
    answer = _run(ctx, app, Received(end_on_b.version, packet, relayer))
    # EVENTS
    if answer is not None:
        _answer(keepers, ctx, packet, answer, head)
    return Outcome.SUCCESS


def mark_received(keepers: Keepers, ctx: WriteContext, packet: Packet, ordering: Order) -> None:
    """Record that chain B received the packet."""
    if ordering is Order.UNORDERED:
        keepers.packets.set_receipt(ctx, packet)
    else:
        keepers.channels.set_next_recv(ctx, packet.port_id_on_b, packet.channel_id_on_b, packet.sequence + 1)


def _run(ctx: WriteContext, app: BoundApp, received: Received) -> AppAcknowledgement | None:
    """Return the application's acknowledgement; writes of a failure are reverted, its events renamed (H4)."""
    with ctx.branch() as branch:
        answer = app.on_recv_packet(ctx, received)
        # guard: h4-recv-failed-callback-is-kept {branch.discard() if answer is not None and (not
        #   answer.success) else () => ()}
        #   test_h36_an_error_answer_keeps_the_receipt_and_none_of_the_applications_writes
        #   test_h4_a_refusing_application_leaves_its_answer_and_nothing_else
        undone = branch.discard() if answer is not None and not answer.success else ()
    for event in undone:
        # guard: h4-recv-undone-events-keep-their-names drop:callback_error
        #   test_h4_a_failed_receive_emits_only_renamed_events
        #   test_h4_a_refusing_application_leaves_its_answer_and_nothing_else
        ctx.emit(channel_events.callback_error(event))
    return answer


def _answer(
    keepers: Keepers,
    ctx: WriteContext,
    packet: Packet,
    answer: AppAcknowledgement,
    head: tuple[Attribute, ...],
) -> None:
    verified = write_acknowledgement.validate(keepers, ctx, packet, answer.data)
    write_acknowledgement.execute(keepers, ctx, verified, head)
