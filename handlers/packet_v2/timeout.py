"""Handler of MsgTimeout: chain A times out a packet (ICS-4 v2 timeoutPacket)."""

from typing import NamedTuple

from handlers.packet_v2.route import Delivery, check_commitment, deliveries_on_a, head
from keepers.keepers import Keepers
from light_client.interface import Claim, ProofEffect
from pyibc.core import paths
from pyibc.core.address import Address
from pyibc.core.application.v2 import TimedOutV2
from pyibc.core.errors import TimeoutNotReachedV2
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.packet.messages import REDUNDANT, Outcome, Redundant
from pyibc.core.packet_v2 import events as channel_v2_events
from pyibc.core.packet_v2.messages import MsgTimeoutV2
from pyibc.core.packet_v2.types import PacketV2, packet_commitment, seconds_of


class VerifiedTimeoutV2(NamedTuple):
    """A packet that has timed out on chain B."""

    packet: PacketV2
    deliveries: tuple[Delivery, ...]
    relayer: Address
    effect: ProofEffect | None  # of the proof


def validate(keepers: Keepers, ctx: ReadContext, msg: MsgTimeoutV2) -> VerifiedTimeoutV2 | Redundant:
    """Check that the packet's commitment is stored, that B is past its timeout, and that B has no receipt.

    Raises:
        Unauthorized: the signer is not an allowed relayer.
        ClientCounterpartyNotFound, InvalidClientCounterparty, InvalidPacketV2: the packet is not of this
            client.
        ConsensusStateNotFound: there is no consensus state at the proof's height.
        TimeoutNotReachedV2: chain B may still receive the packet.
        ClientNotActive, InvalidProof, ...: the receipt's absence is not proven.
        InvalidRoute: no application is bound to a payload's port.
    """
    packet = msg.packet
    # CLIENT
    client_id = packet.client_id_on_a
    relayer = keepers.v2.clients.check_relayer(ctx, client_id, msg.signer)
    counterparty = keepers.v2.clients.check_counterparty(ctx, client_id, packet.client_id_on_b)
    # TIMEOUT: by chain B's clock at the proof's height
    height_on_b = msg.proof_height_on_b
    time_s_on_b = seconds_of(keepers.clients.timestamp_at(ctx, client_id, height_on_b))
    if time_s_on_b < packet.timeout_s_on_b:
        raise TimeoutNotReachedV2(packet.timeout_s_on_b, time_s_on_b)
    # REPLAY: a packet without a commitment was acknowledged or timed out
    commitment = keepers.v2.packets.commitment(ctx, packet)
    if not commitment:
        return REDUNDANT
    check_commitment(commitment, packet_commitment(packet))
    # PROOF
    path = counterparty.merkle_path(paths.packet_receipt_v2_path(packet.client_id_on_b, packet.sequence))
    claim = Claim(height_on_b, msg.proof_unreceived_on_b, path)
    effect = keepers.clients.verify_non_membership(ctx, client_id, claim)
    # APP
    return VerifiedTimeoutV2(packet, deliveries_on_a(keepers, packet.payloads), relayer, effect)


def execute(keepers: Keepers, ctx: WriteContext, verified: VerifiedTimeoutV2) -> Outcome:
    """Delete the commitment, then call the applications.

    Runs on: A.
    Proves: the absence of B's receipt.
    Writes: deletes {id} 01 (commitments);
        clients/{id}/ (by a single-use proof).
    Emits: timeout_packet.
    """
    packet, deliveries, relayer, effect = verified
    keepers.clients.apply_effect(ctx, effect)
    # STATE: before the callbacks, so that a packet cannot be refunded twice (H5)
    # guard: h5-timeout-v2-deletes-after-the-callback swap:payload test_h5_reentrant_app_is_told_once
    #   test_security::test_h5_the_commitment_is_gone_before_the_application_is_told
    keepers.v2.packets.delete_commitment(ctx, packet)
    # EVENTS
    ctx.emit(channel_v2_events.timeout_packet(head(packet)))
    ctx.emit(channel_v2_events.MODULE)
    # APP
    client_on_a, client_on_b = packet.client_id_on_a, packet.client_id_on_b
    for payload, app in deliveries:
        timed_out = TimedOutV2(client_on_a, client_on_b, packet.sequence, payload, relayer)
        app.on_timeout_packet(ctx, timed_out)
    return Outcome.SUCCESS
