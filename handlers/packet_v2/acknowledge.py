"""Chain A processes an acknowledgement (ICS-4 v2 acknowledgePacket)."""

from typing import NamedTuple

from handlers.packet_v2.route import Delivery, check_commitment, deliveries_on_a, head, verify
from ibc_core import paths
from ibc_core.address import Address
from ibc_core.application.v2 import AcknowledgedV2
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.packet.outcome import REDUNDANT, Outcome, Redundant
from ibc_core.packet_v2 import events as channel_v2_events
from ibc_core.packet_v2.acknowledge import MsgAcknowledgementV2
from ibc_core.packet_v2.types import (
    SENTINEL,
    AcknowledgementV2,
    PacketV2,
    acknowledgement_commitment,
    check_answers,
    packet_commitment,
)
from keepers.keepers import Keepers
from light_client.interface import ProofEffect


class VerifiedAckV2(NamedTuple):
    """Chain B's acknowledgement of a packet whose commitment is stored."""

    packet: PacketV2
    acknowledgement: AcknowledgementV2
    deliveries: tuple[Delivery, ...]
    relayer: Address
    effect: ProofEffect | None  # what the proof leaves to write


def validate(keepers: Keepers, ctx: ReadContext, msg: MsgAcknowledgementV2) -> VerifiedAckV2 | Redundant:
    """Checks that the packet's commitment is stored, and that B wrote this acknowledgement.

    Raises:
        Unauthorized: the client's configuration names other relayers only.
        ClientCounterpartyNotFound, InvalidClientCounterparty, InvalidPacketV2: not this client's packet.
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
    """Deletes the commitment, then passes each application its acknowledgement, or the sentinel.

    Runs on: A.
    Proves: B's acknowledgement.
    Writes: deletes {id} 01 (commitments);
        clients/{id}/ (where a proof is used up).
    Emits: acknowledge_packet.
    """
    packet, acknowledgement, deliveries, relayer, effect = verified
    keepers.clients.settle(ctx, effect)
    # STATE: before the applications are called, so that nobody can be refunded twice (H5)
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
