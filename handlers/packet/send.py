"""Chain A sends a packet, on a call of an application (ICS-4 sendPacket)."""

from typing import NamedTuple

from keepers.keepers import Keepers
from pyibc.core.channel import events as channel_events
from pyibc.core.channel.types import ChannelEnd, ChannelState
from pyibc.core.errors import (
    CounterpartyUnknown,
    InvalidChannelState,
    TimeoutElapsed,
    TooManyOptimisticPackets,
)
from pyibc.core.height import Height
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.packet.types import Packet, send_packet_event, timeout_elapsed

# -- limit of packets sent before their channel is OPEN (ICS-4 "optimistic sends")


def check(keepers: Keepers, ctx: ReadContext, port_id: str, channel_id: str, end_on_a: ChannelEnd) -> None:
    """Check that another packet may be sent over a channel that is not OPEN.

    The limit counts all packets sent over the channel so far; none can be acknowledged before it is OPEN.

    Raises:
        InvalidChannelState: the channel is CLOSED, or the host allows no such packets.
        CounterpartyUnknown: the counterparty channel is not known yet.
        SequenceSendNotFound: the channel has no next sequence.
        TooManyOptimisticPackets: the limit is reached.
    """
    limit = keepers.rules.optimistic_sends
    started = end_on_a.state in {ChannelState.INIT, ChannelState.TRYOPEN}
    if not started or limit < 1:
        expected = "INIT or TRYOPEN or OPEN" if limit else ChannelState.OPEN.name
        raise InvalidChannelState(f"{port_id}/{channel_id}", expected, end_on_a.state.name)
    if not end_on_a.counterparty.channel_id:
        raise CounterpartyUnknown(port_id, channel_id)
    if keepers.channels.next_send(ctx, port_id, channel_id) > limit:
        raise TooManyOptimisticPackets(limit)


# -- sending


class SendPacket(NamedTuple):
    """An application's request to send a packet."""

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
    """Check that the channel can carry the packet.

    Raises:
        ChannelNotFound, InvalidChannelState, SequenceSendNotFound: there is no open channel.
        CounterpartyUnknown, TooManyOptimisticPackets: the packet cannot be sent before the channel is OPEN.
        InvalidPacket: there is no timeout, or the data is empty or too large.
        ConnectionNotFound, ClientNotActive, InvalidClientHeight, ConsensusStateNotFound: the client is not
            usable.
        TimeoutElapsed: chain B has already reached the timeout.
    """
    # CHANNEL
    end_on_a = keepers.channels.get(ctx, msg.port_id_on_a, msg.channel_id_on_a)
    if end_on_a.state is not ChannelState.OPEN:
        check(keepers, ctx, msg.port_id_on_a, msg.channel_id_on_a, end_on_a)
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
    height_on_b, time_on_b = keepers.clients.latest(ctx, client_id)
    if timeout_elapsed(msg.timeout_height_on_b, msg.timeout_ns_on_b, height_on_b, time_on_b):
        raise TimeoutElapsed(str(height_on_b), time_on_b)
    return VerifiedSend(packet, end_on_a)


def execute(keepers: Keepers, ctx: WriteContext, verified: VerifiedSend) -> int:
    """Write the packet commitment, and return the sequence.

    Runs on: A. Proves: nothing. Writes: nextSequenceSend, commitments. Emits: send_packet.
    """
    packet, end_on_a = verified
    # STATE
    keepers.channels.set_next_send(ctx, packet.port_id_on_a, packet.channel_id_on_a, packet.sequence + 1)
    keepers.packets.commit(ctx, packet)
    # EVENTS
    ctx.emit(send_packet_event(packet, end_on_a))
    ctx.emit(channel_events.MODULE)
    return packet.sequence
