"""Direct calls that close channels, and those for timeouts and cleanup of packets (ICS-4)."""

from collections.abc import Callable
from typing import NamedTuple

from handlers.packet import timeout, timeout_on_close
from handlers.packet.route import check_commitment, check_destination
from keepers.keepers import Keepers
from light_client.interface import ProofEffect
from pyibc.core import paths
from pyibc.core.address import Address
from pyibc.core.application.classic import BoundApp, CleanedUp
from pyibc.core.channel import events as channel_events
from pyibc.core.channel.types import ChannelEnd, Order
from pyibc.core.connection.types import ConnectionEnd
from pyibc.core.errors import (
    InvalidAcknowledgement,
    InvalidRequest,
    InvalidSequence,
    PacketCommitmentNotFound,
    PacketSequenceOutOfOrder,
)
from pyibc.core.height import Height
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.numbers import be8, u64
from pyibc.core.packet.messages import REDUNDANT, MsgTimeout, MsgTimeoutOnClose, Outcome, Redundant
from pyibc.core.packet.types import (
    Packet,
    acknowledgement_commitment,
    cleanup_packet_event,
    packet_commitment,
)
from pyibc.direct.calls import AnyPacket
from pyibc.direct.capability import Capability
from pyibc.direct.errors import CleanupRefused
from pyibc.direct.handlers import plain
from pyibc.direct.handlers.access import ModuleAccess, do_nothing, stub_app
from pyibc.direct.messages import MsgCleanupPacket
from pyibc.isolation.scoped_context import opened

Callback = Callable[[WriteContext, CleanedUp], None]
"""Callback `on_cleanup_packet` of an application."""


class VerifiedCleanup(NamedTuple):
    """Pending packet that chain B received."""

    packet: Packet
    acknowledgement: bytes
    end_on_a: ChannelEnd
    callback: Callback
    relayer: Address
    effect: ProofEffect | None  # write that the proof requires


def validate(keepers: Keepers, ctx: ReadContext, msg: MsgCleanupPacket) -> VerifiedCleanup | Redundant:
    """Check that the packet is pending and that B received it.

    On an ordered channel packets are cleaned up in the order they were sent, like acknowledgements.

    Raises:
        InvalidRoute, CleanupRefused: the port has no application that allows the cleanup.
        ChannelNotFound, InvalidChannelState, InvalidPacket, ConnectionNotFound: it is not a packet of
            this channel.
        InvalidSequence: B's next sequence is not above the packet's (ordered).
        InvalidAcknowledgement: there is no acknowledgement (unordered).
        PacketSequenceOutOfOrder: an ordered channel expects another sequence.
        ClientNotActive, DelayPeriodNotPassed, InvalidProof, ...: the proof fails.
    """
    port_id = msg.packet.port_id_on_a
    return prove(keepers, ctx, msg, callback_of(keepers.ports.route(port_id), port_id))


def prove(
    keepers: Keepers, ctx: ReadContext, msg: MsgCleanupPacket, callback: Callback
) -> VerifiedCleanup | Redundant:
    """Run the checks of `validate` that do not concern the application.

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
    """Return the application's callback for cleanups.

    Raises:
        CleanupRefused: it has none, or a middleware does not pass it on.
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
    """Delete the commitment, then call the application.

    Runs on: A. Proves: B's next sequence | B's acknowledgement. Writes: nextSequenceAck (ordered), deletes
    commitments; clients/{id}/ (by a single-use proof). Emits: cleanup_packet.
    """
    packet, acknowledgement, end_on_a, callback, relayer, effect = verified
    keepers.clients.apply_effect(ctx, effect)
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


class TimeoutCalls:
    """Timeout and cleanup functions of a `DirectHandler`."""

    __slots__ = ()
    _access: ModuleAccess

    def timeout_packet(
        self,
        ctx: WriteContext,
        held: Capability,
        packet: AnyPacket,
        proof: bytes,
        proof_height: Height,
        next_sequence_recv: int | None,
    ) -> Packet:
        """Time out a packet; return it decoded. `held`: capability of the channel or of its port.

        `next_sequence_recv`: of chain B, on an ordered channel. None: chain B has no such channel, and
        `proof` shows the absence of the counter.

        Raises PacketCommitmentNotFound if the packet is not pending, and as `handlers.packet.timeout`.
        """
        access, ctx = self._access, opened(ctx)
        plain.proven(proof, proof_height)
        decoded = _authorized(access, ctx, held, packet)
        # PROOF
        msg = MsgTimeout(
            decoded, proof, proof_height, _counter(next_sequence_recv), access.signer(decoded.port_id_on_a)
        )
        return _execute(access, ctx, decoded, timeout.validate(access.keepers, ctx, msg))

    def timeout_on_close(
        self,
        ctx: WriteContext,
        held: Capability,
        packet: AnyPacket,
        proofs: tuple[bytes, bytes],
        proof_height: Height,
        next_sequence_recv: int | None,
    ) -> Packet:
        """Time out a packet because the other end is CLOSED; `proofs`: of non-receipt and of the closed end.

        Raises as `timeout_packet`, and as `handlers.packet.timeout_on_close`.
        """
        access, ctx = self._access, opened(ctx)
        for proof in proofs:
            plain.proven(proof, proof_height)
        decoded = _authorized(access, ctx, held, packet)
        signer = access.signer(decoded.port_id_on_a)
        # PROOF
        msg = MsgTimeoutOnClose(decoded, *proofs, proof_height, _counter(next_sequence_recv), signer)
        return _execute(access, ctx, decoded, timeout_on_close.validate(access.keepers, ctx, msg))

    def cleanup_packet(
        self,
        ctx: WriteContext,
        channel: Capability,
        packet: AnyPacket,
        proof: bytes,
        proof_height: Height,
        next_sequence_recv_or_acknowledgement: int | bytes,
    ) -> Packet:
        """Delete the commitment of a packet that B received, given B's next sequence or acknowledgement.

        The sequence is for ordered channels, the acknowledgement for unordered ones.

        Raises PacketCommitmentNotFound if the packet is not pending, and as `pyibc.direct.handlers.closing`.
        """
        access, ctx = self._access, opened(ctx)
        claim = next_sequence_recv_or_acknowledgement
        plain.proven(proof, proof_height)
        decoded = access.decode(packet)
        keepers, port_id, channel_id = access.keepers, decoded.port_id_on_a, decoded.channel_id_on_a
        # CHANNEL
        end = keepers.channels.get_open(ctx, port_id, channel_id)
        access.channel(ctx, channel, port_id, channel_id)
        ordered = end.ordering is Order.ORDERED
        if type(claim) is not (int if ordered else bytes):
            raise InvalidRequest(
                f"{end.ordering.text} channels need {'a sequence' if ordered else 'an acknowledgement'}"
            )
        # PROOF
        claims = (claim, b"") if isinstance(claim, int) else (0, claim)
        msg = MsgCleanupPacket(decoded, proof, proof_height, *claims, access.signer(port_id))
        verified = prove(keepers, ctx, msg, do_nothing)
        if isinstance(verified, Redundant):
            raise PacketCommitmentNotFound(port_id, channel_id, decoded.sequence)
        # STATE
        execute(keepers, ctx, verified)
        return decoded


def _authorized(access: ModuleAccess, ctx: WriteContext, held: Capability, packet: AnyPacket) -> Packet:
    """Return the decoded packet of a channel for which the caller has the capability, closed or not."""
    decoded = access.decode(packet)
    # CHANNEL
    access.keepers.channels.get(ctx, decoded.port_id_on_a, decoded.channel_id_on_a)
    access.channel_or_port(ctx, held, decoded.port_id_on_a, decoded.channel_id_on_a)
    return decoded


def _counter(next_recv: int | None) -> int:
    """Return the counterparty's nextSequenceRecv as the handlers expect it: 0 means no such counter.

    Raises:
        InvalidSequence: it is 0, which no counter is.
        InvalidRequest: it is outside 64 bits.
    """
    if next_recv is None:
        return 0
    plain.require(int, next_recv)
    if next_recv == 0:
        raise InvalidSequence("next_sequence_recv", 0)
    return u64(next_recv, "next_sequence_recv")


def _execute(
    access: ModuleAccess, ctx: WriteContext, packet: Packet, verified: timeout.VerifiedTimeout | Redundant
) -> Packet:
    if isinstance(verified, Redundant):
        raise PacketCommitmentNotFound(packet.port_id_on_a, packet.channel_id_on_a, packet.sequence)
    # STATE
    timeout.execute(access.keepers, ctx, verified._replace(app=stub_app()))
    return packet
