"""Handler of MsgAcknowledgement: chain A processes an acknowledgement (ICS-4 v2 acknowledgePacket)."""

from typing import NamedTuple

from handlers.packet_v2.route import Delivery, check_commitment, deliveries_on_a, head, verify
from keepers.keepers import Keepers
from light_client.interface import ProofEffect
from pyibc.core import paths
from pyibc.core.address import Address
from pyibc.core.application.v2 import AcknowledgedV2
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.packet.messages import REDUNDANT, Outcome, Redundant
from pyibc.core.packet_v2 import events as channel_v2_events
from pyibc.core.packet_v2.messages import MsgAcknowledgementV2
from pyibc.core.packet_v2.types import (
    SENTINEL,
    AcknowledgementV2,
    PacketV2,
    acknowledgement_commitment,
    check_answers,
    packet_commitment,
)


class VerifiedAckV2(NamedTuple):
    """Chain B's acknowledgement of a packet whose commitment is stored."""

    packet: PacketV2
    acknowledgement: AcknowledgementV2
    deliveries: tuple[Delivery, ...]
    relayer: Address
    effect: ProofEffect | None  # of the proof


def validate(keepers: Keepers, ctx: ReadContext, msg: MsgAcknowledgementV2) -> VerifiedAckV2 | Redundant:
    """Check that the packet's commitment is stored, and that B wrote this acknowledgement.

    Raises:
        Unauthorized: the signer is not an allowed relayer.
        ClientCounterpartyNotFound, InvalidClientCounterparty, InvalidPacketV2: the packet is not of this
            client.
        ClientNotActive, InvalidProof, ...: B's acknowledgement is not proven.
        InvalidAcknowledgementV2: the number of acknowledgements differs from that of payloads.
        InvalidRoute: no application is bound to a payload's port.
    """
    packet = msg.packet
    # CLIENT
    relayer = keepers.v2.clients.check_relayer(ctx, packet.client_id_on_a, msg.signer)
    counterparty = keepers.v2.clients.check_counterparty(ctx, packet.client_id_on_a, packet.client_id_on_b)
    # REPLAY: a packet without a commitment was acknowledged or timed out
    commitment = keepers.v2.packets.commitment(ctx, packet)
    if not commitment:
        return REDUNDANT
    check_commitment(commitment, packet_commitment(packet))
    # PROOF
    name = paths.packet_acknowledgement_v2_path(packet.client_id_on_b, packet.sequence)
    path, value = counterparty.merkle_path(name), acknowledgement_commitment(msg.acknowledgement)
    height, proof = msg.proof_height_on_b, msg.proof_ack_on_b
    effect = verify(keepers, ctx, packet.client_id_on_a, height, proof, path, value)
    check_answers(packet, msg.acknowledgement)
    # APP
    deliveries = deliveries_on_a(keepers, packet.payloads)
    return VerifiedAckV2(packet, msg.acknowledgement, deliveries, relayer, effect)


def execute(keepers: Keepers, ctx: WriteContext, verified: VerifiedAckV2) -> Outcome:
    """Delete the commitment, then pass each application its acknowledgement, or the sentinel.

    Runs on: A.
    Proves: B's acknowledgement.
    Writes: deletes {id} 01 (commitments);
        clients/{id}/ (by a single-use proof).
    Emits: acknowledge_packet.
    """
    packet, acknowledgement, deliveries, relayer, effect = verified
    keepers.clients.apply_effect(ctx, effect)
    # STATE: before the callbacks, so that a packet cannot be refunded twice (H5)
    # guard: h5-acknowledge-v2-deletes-after-the-callback swap:payload test_h5_reentrant_app_is_told_once
    #   test_security::test_h5_the_commitment_is_gone_before_the_application_is_told
    keepers.v2.packets.delete_commitment(ctx, packet)
    # EVENTS
    ctx.emit(channel_v2_events.acknowledge_packet(head(packet)))
    ctx.emit(channel_v2_events.MODULE)
    # APP
    failed = acknowledgement[0] == SENTINEL
    answers = (SENTINEL,) * len(deliveries) if failed else acknowledgement
    client_on_a, client_on_b = packet.client_id_on_a, packet.client_id_on_b
    for (payload, app), answer in zip(deliveries, answers, strict=True):
        acknowledged = AcknowledgedV2(client_on_a, client_on_b, packet.sequence, payload, answer, relayer)
        app.on_acknowledgement_packet(ctx, acknowledged)
    return Outcome.SUCCESS
