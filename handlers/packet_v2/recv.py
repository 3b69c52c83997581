"""Handler of MsgRecvPacket: chain B receives a packet (ICS-4 v2 recvPacket)."""

from typing import NamedTuple

from handlers.packet_v2 import write_acknowledgement
from handlers.packet_v2.route import Delivery, deliveries_on_b, head, verify
from keepers.keepers import Keepers
from light_client.interface import ProofEffect
from pyibc.core import paths
from pyibc.core.address import Address
from pyibc.core.application.v2 import ReceivedV2
from pyibc.core.channel.events import callback_error
from pyibc.core.errors import InvalidAcknowledgementV2, InvalidPacketV2, TimeoutElapsedV2
from pyibc.core.host.block import Event
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.packet.messages import REDUNDANT, Outcome, Redundant
from pyibc.core.packet_v2 import events as channel_v2_events
from pyibc.core.packet_v2.messages import MsgRecvPacketV2
from pyibc.core.packet_v2.types import NS_PER_S, SENTINEL, AcknowledgementV2, PacketV2, packet_commitment


class VerifiedRecvV2(NamedTuple):
    """A proven packet that chain B has not received yet."""

    packet: PacketV2
    deliveries: tuple[Delivery, ...]
    relayer: Address
    effect: ProofEffect | None  # of the proof


def validate(keepers: Keepers, ctx: ReadContext, msg: MsgRecvPacketV2) -> VerifiedRecvV2 | Redundant:
    """Check that A sent the packet to this client, and that it is neither timed out nor received.

    Raises:
        Unauthorized: the signer is not an allowed relayer.
        ClientCounterpartyNotFound, InvalidClientCounterparty: the packet is not of this client.
        TimeoutElapsedV2: the packet has timed out.
        ClientNotActive, InvalidProof, ...: A's commitment is not proven.
        InvalidRoute: no application is bound to a payload's port.
    """
    packet = msg.packet
    # CLIENT
    relayer = keepers.v2.clients.check_relayer(ctx, packet.client_id_on_b, msg.signer)
    counterparty = keepers.v2.clients.check_counterparty(ctx, packet.client_id_on_b, packet.client_id_on_a)
    # TIMEOUT
    time_s = ctx.time_ns // NS_PER_S
    if time_s >= packet.timeout_s_on_b:
        raise TimeoutElapsedV2(packet.timeout_s_on_b, time_s)
    # REPLAY: before the proof, unlike in IBC v1
    if keepers.v2.packets.has_receipt(ctx, packet):
        return REDUNDANT
    # PROOF
    path = counterparty.merkle_path(paths.packet_commitment_v2_path(packet.client_id_on_a, packet.sequence))
    height, proof = msg.proof_height_on_a, msg.proof_commitment_on_a
    value = packet_commitment(packet)
    effect = verify(keepers, ctx, packet.client_id_on_b, height, proof, path, value)
    # APP
    return VerifiedRecvV2(packet, deliveries_on_b(keepers, packet.payloads), relayer, effect)


def execute(keepers: Keepers, ctx: WriteContext, verified: VerifiedRecvV2) -> Outcome:
    """Write the receipt, call the applications in one branch, and acknowledge or store the packet.

    As in ibc-go v11.2, recv_packet is emitted a second time with the applications' events, renamed if they
    failed (ibc-go issue 9073), so that indexers get the same events.

    Runs on: B.
    Proves: A's commitment.
    Writes: {id} 02 (receipts), {id} 03 (acknowledgements) | {id}async_packet;
        clients/{id}/ (by a single-use proof).
    Emits: recv_packet, write_acknowledgement.
    """
    packet = verified.packet
    keepers.clients.apply_effect(ctx, verified.effect)
    # STATE: before the callbacks, so that they cannot receive the packet again
    # guard: h5-recv-v2-marks-after-the-callback swap:answer test_h5_reentrant_app_is_told_once
    #   test_h5_the_receipt_is_there_before_the_application_runs
    keepers.v2.packets.set_receipt(ctx, packet)
    attributes = head(packet)
    received = channel_v2_events.recv_packet(attributes)
    ctx.emit(received)
    ctx.emit(channel_v2_events.MODULE)
    # APP
    answer = _run(ctx, verified, received)
    # EVENTS
    if answer is None:
        keepers.v2.packets.set_async_packet(ctx, packet)
    else:
        answered = write_acknowledgement.validate(keepers, ctx, packet, answer)
        write_acknowledgement.execute(keepers, ctx, answered, attributes)
    return Outcome.SUCCESS


def _run(ctx: WriteContext, verified: VerifiedRecvV2, received: Event) -> AcknowledgementV2 | None:
    """Return the applications' acknowledgements; if one failed, the writes of all are reverted (H4)."""
    with ctx.branch() as branch:
        ctx.emit(received)
        ctx.emit(channel_v2_events.MODULE)
        answer = _answers(ctx, verified)
        # guard: h4-recv-v2-failed-callback-is-kept drop:answer
        #   test_h4_a_failed_application_is_undone_and_chain_a_learns_no_more
        undone = branch.discard() if answer == (SENTINEL,) else ()
    for event in undone:
        # guard: h4-recv-v2-undone-events-keep-their-names drop:callback_error
        #   test_h4_a_failed_application_is_undone_and_chain_a_learns_no_more
        ctx.emit(callback_error(event))
    return answer


def _answers(ctx: WriteContext, verified: VerifiedRecvV2) -> AcknowledgementV2 | None:
    packet, deliveries, relayer, _ = verified
    client_on_a, client_on_b = packet.client_id_on_a, packet.client_id_on_b
    answers: list[bytes] = []
    for payload, app in deliveries:
        received = ReceivedV2(client_on_a, client_on_b, packet.sequence, payload, relayer)
        answer = app.on_recv_packet(ctx, received)
        if answer is None:
            if len(deliveries) > 1:
                raise InvalidPacketV2("a packet of several payloads cannot be acknowledged later")
            return None
        if not answer.success:
            return (SENTINEL,)
        if answer.data == SENTINEL:
            raise InvalidAcknowledgementV2("an application calls its success an error")
        answers.append(answer.data)
    return tuple(answers)
