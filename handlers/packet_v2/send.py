"""Handler of MsgSendPacket and of applications' sends: chain A sends a packet (ICS-4 v2 sendPacket)."""

from typing import NamedTuple

from handlers.packet_v2.route import Delivery, deliveries_on_a, head
from keepers.keepers import Keepers
from pyibc.codec.gotime import GO_ZERO_SECONDS
from pyibc.core.address import Address
from pyibc.core.application.v2 import SendingV2
from pyibc.core.errors import (
    IbcError,
    InvalidPacketV2,
    InvalidTimeoutV2,
    TimeoutElapsedV2,
)
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.packet_v2 import events as channel_v2_events
from pyibc.core.packet_v2.messages import MsgSendPacket
from pyibc.core.packet_v2.types import MAX_TIMEOUT_NS, NS_PER_S, PacketV2, seconds_of

_LAST_GO_SECOND = 2**63 - 1 + GO_ZERO_SECONDS
"""Last Unix time of Go, which counts seconds from the year 1 in 64 bits; later ones overflow."""


class VerifiedSendV2(NamedTuple):
    """A packet that may be sent, if its applications accept."""

    packet: PacketV2
    deliveries: tuple[Delivery, ...]
    signer: Address


def validate(keepers: Keepers, ctx: ReadContext, msg: MsgSendPacket) -> VerifiedSendV2:
    """Check that the client can carry the packet.

    Raises:
        ClientCounterpartyNotFound, SequenceSendNotFoundV2: packets are not enabled over the client.
        TimeoutElapsedV2, InvalidTimeoutV2: the timeout has passed, here or on chain B, or is too far ahead.
        InvalidPacketV2: the packet is too large, or a client identifier too short.
        ClientNotActive, InvalidClientHeight, ConsensusStateNotFound: the client is not usable.
        InvalidRoute: no application is bound to a payload's port.
    """
    signer = keepers.addresses.decode(msg.signer, "signer")
    # CLIENT
    client_id = msg.client_id_on_a
    counterparty = keepers.v2.clients.counterparty(ctx, client_id)
    # TIMEOUT
    _check_timeout(ctx, msg.timeout_s_on_b)
    sequence = keepers.v2.packets.next_send(ctx, client_id)
    packet = PacketV2(sequence, client_id, counterparty.client_id, msg.timeout_s_on_b, msg.payloads)
    try:
        packet.validate_basic(several=keepers.v2.several_payloads)
    except IbcError as error:
        raise InvalidPacketV2(str(error)) from error
    _check_not_elapsed_on_b(keepers, ctx, packet)
    # APP
    return VerifiedSendV2(packet, deliveries_on_a(keepers, msg.payloads), signer)


def _check_timeout(ctx: ReadContext, timeout_s: int) -> None:
    timeout_ns = timeout_s * NS_PER_S
    if timeout_ns <= ctx.time_ns or timeout_s > _LAST_GO_SECOND:
        raise TimeoutElapsedV2(timeout_s, ctx.time_ns // NS_PER_S)
    if timeout_ns > ctx.time_ns + MAX_TIMEOUT_NS:
        raise InvalidTimeoutV2(f"{timeout_s} s is more than a day ahead of {ctx.time_ns // NS_PER_S} s")


def _check_not_elapsed_on_b(keepers: Keepers, ctx: ReadContext, packet: PacketV2) -> None:
    _, time_on_b = keepers.clients.latest(ctx, packet.client_id_on_a)
    time_s_on_b = seconds_of(time_on_b)
    if time_s_on_b >= packet.timeout_s_on_b:
        raise TimeoutElapsedV2(packet.timeout_s_on_b, time_s_on_b)


def execute(keepers: Keepers, ctx: WriteContext, verified: VerifiedSendV2) -> int:
    """Write the commitment, call the applications, and return the sequence.

    Runs on: A. Proves: nothing. Writes: nextSequenceSend/{id}, {id} 01 (commitments). Emits: send_packet.
    """
    packet, deliveries, signer = verified
    # STATE
    keepers.v2.packets.set_next_send(ctx, packet.client_id_on_a, packet.sequence + 1)
    keepers.v2.packets.commit(ctx, packet)
    # EVENTS
    ctx.emit(channel_v2_events.send_packet(head(packet)))
    ctx.emit(channel_v2_events.MODULE)
    # APP
    client_on_a, client_on_b = packet.client_id_on_a, packet.client_id_on_b
    for payload, app in deliveries:
        app.on_send_packet(ctx, SendingV2(client_on_a, client_on_b, packet.sequence, payload, signer))
    return packet.sequence
