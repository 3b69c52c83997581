"""Chain A sends a packet (ICS-4 sendPacket). Called by applications, never by a relayer."""

from typing import NamedTuple

from handlers.packet import optimistic
from ibc_core.channel import events as channel_events
from ibc_core.channel.types import ChannelEnd, ChannelState
from ibc_core.errors import InvalidClientHeight, TimeoutElapsed
from ibc_core.height import Height
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.packet.types import Packet, send_packet_event, timeout_elapsed
from keepers.keepers import Keepers
from light_client.views import ReadOnce


class SendPacket(NamedTuple):
    """What an application asks to be sent."""

    port_id_on_a: str
    channel_id_on_a: str
    timeout_height_on_b: Height
    timeout_ns_on_b: int
    data: bytes


class VerifiedSend(NamedTuple):
    """A packet that may be sent."""

    packet: Packet
    end_on_a: ChannelEnd


def validate(keepers: Keepers, ctx: ReadContext, msg: SendPacket) -> VerifiedSend:
    """Checks that the channel can carry the packet.

    Raises:
        ChannelNotFound, InvalidChannelState, SequenceSendNotFound: no open channel.
        CounterpartyUnknown, TooManyOptimisticPackets: not before the channel is open.
        InvalidPacket: no timeout, no data, or too much.
        ConnectionNotFound, ClientNotActive, InvalidClientHeight, ConsensusStateNotFound: no way to B.
        TimeoutElapsed: B is past the timeout already.
    """
    # CHANNEL
    end_on_a = keepers.channels.get(ctx, msg.port_id_on_a, msg.channel_id_on_a)
    if end_on_a.state is not ChannelState.OPEN:
        optimistic.check(keepers, ctx, msg.port_id_on_a, msg.channel_id_on_a, end_on_a)
    sequence = keepers.channels.next_send(ctx, msg.port_id_on_a, msg.channel_id_on_a)
    packet = Packet(
        sequence,
        msg.port_id_on_a,
        msg.channel_id_on_a,
        end_on_a.counterparty.port_id,
        end_on_a.counterparty.channel_id,
        msg.data,
        msg.timeout_height_on_b,
        msg.timeout_ns_on_b,
    )
    packet.validate_basic()
    client_id = keepers.connections.get(ctx, end_on_a.connection_hops[0]).client_id
    # TIMEOUT
    once = ReadOnce(ctx)
    client = keepers.clients.require_active(once, client_id)
    height_on_b = client.latest_height(once, client_id)
    if height_on_b.is_zero:
        raise InvalidClientHeight(f"client {client_id} knows no height")
    time_on_b = client.timestamp_at_height(once, client_id, height_on_b)
    if timeout_elapsed(msg.timeout_height_on_b, msg.timeout_ns_on_b, height_on_b, time_on_b):
        raise TimeoutElapsed(str(height_on_b), time_on_b)
    return VerifiedSend(packet, end_on_a)


def execute(keepers: Keepers, ctx: WriteContext, verified: VerifiedSend) -> int:
    """Commits to the packet; returns its sequence.

    Runs on: A.
    Proves: nothing.
    Writes: nextSequenceSend, commitments.
    Emits: send_packet.
    """
    packet, end_on_a = verified
    # STATE
    keepers.channels.set_next_send(ctx, packet.port_id_on_a, packet.channel_id_on_a, packet.sequence + 1)
    keepers.packets.commit(ctx, packet)
    # EVENTS
    ctx.emit(send_packet_event(packet, end_on_a))
    ctx.emit(channel_events.MODULE)
    return packet.sequence
