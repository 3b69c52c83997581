"""Sending, receiving and acknowledging by a module (ICS-4 sendPacket, recvPacket, acknowledgePacket).

Checks follow the order of the specification: channel and state, capability, the packet's ends, connection,
timeout, proof, sequence.
"""

from handlers.direct import plain
from handlers.direct.access import ModuleAccess
from handlers.direct.caller import calling
from handlers.packet import acknowledge, recv, send, write_acknowledgement
from handlers.packet.recv import check_source
from handlers.packet.route import check_destination
from ibc_core.channel.types import ChannelState
from ibc_core.direct.calls import AnyPacket
from ibc_core.direct.capability import Capability
from ibc_core.errors import (
    InvalidAcknowledgement,
    InvalidChannelState,
    PacketCommitmentNotFound,
    PacketReceived,
    PacketSequenceOutOfOrder,
)
from ibc_core.height import Height
from ibc_core.host.context import WriteContext
from ibc_core.packet.acknowledge import MsgAcknowledgement
from ibc_core.packet.outcome import Redundant
from ibc_core.packet.recv import MsgRecvPacket
from ibc_core.packet.types import Packet, event_head


def send_packet(access: ModuleAccess, ctx: WriteContext, channel: Capability, packet: Packet) -> None:
    """See `ibc_core.direct.calls.DirectHandler`."""
    packet = access.clear(packet)
    keepers, port_id, channel_id = access.keepers, packet.port_id_on_a, packet.channel_id_on_a
    # CHANNEL
    end = keepers.channels.get(ctx, port_id, channel_id)
    if end.state is ChannelState.CLOSED:
        raise InvalidChannelState(f"{port_id}/{channel_id}", "INIT or TRYOPEN or OPEN", end.state.name)
    access.channel(ctx, channel, port_id, channel_id)
    check_destination(end, packet)
    # TIMEOUT
    msg = send.SendPacket(
        port_id, channel_id, packet.timeout_height_on_b, packet.timeout_ns_on_b, packet.data
    )
    verified = send.validate(keepers, ctx, msg)
    if packet.sequence != verified.packet.sequence:
        raise PacketSequenceOutOfOrder(verified.packet.sequence, packet.sequence)
    # STATE
    send.execute(keepers, ctx, verified)


def recv_packet(
    access: ModuleAccess,
    ctx: WriteContext,
    channel: Capability,
    packet: AnyPacket,
    proof: bytes,
    proof_height: Height,
    acknowledgement: bytes,
) -> Packet:
    """See `ibc_core.direct.calls.DirectHandler`."""
    clear = access.clear(packet)
    plain.proven(proof, proof_height)
    plain.require(bytes, acknowledgement)
    keepers, port_id, channel_id = access.keepers, clear.port_id_on_b, clear.channel_id_on_b
    # CHANNEL
    keepers.channels.get_open(ctx, port_id, channel_id)
    access.channel(ctx, channel, port_id, channel_id)
    # PROOF
    msg = MsgRecvPacket(clear, proof, proof_height, access.signer(port_id))
    verified = recv.validate(keepers, ctx, msg)
    if isinstance(verified, Redundant):
        raise PacketReceived(clear.sequence, "it came before")
    # STATE
    with ctx.branch():  # a module may have written the acknowledgement before the packet was received
        recv.execute(keepers, ctx, verified._replace(app=calling(acknowledgement=acknowledgement)))
    return clear


def write_answer(
    access: ModuleAccess, ctx: WriteContext, channel: Capability, packet: AnyPacket, acknowledgement: bytes
) -> None:
    """See `ibc_core.direct.calls.DirectHandler.write_acknowledgement`."""
    clear = access.clear(packet)
    plain.require(bytes, acknowledgement)
    keepers, port_id, channel_id = access.keepers, clear.port_id_on_b, clear.channel_id_on_b
    # CHANNEL
    end_on_b = keepers.channels.get_open(ctx, port_id, channel_id)
    access.channel(ctx, channel, port_id, channel_id)
    check_source(end_on_b, clear)
    verified = write_acknowledgement.validate(keepers, ctx, clear, acknowledgement)
    # STATE
    write_acknowledgement.execute(keepers, ctx, verified, event_head(clear))


def acknowledge_packet(
    access: ModuleAccess,
    ctx: WriteContext,
    channel: Capability,
    packet: AnyPacket,
    acknowledgement: bytes,
    proof: bytes,
    proof_height: Height,
) -> Packet:
    """See `ibc_core.direct.calls.DirectHandler`."""
    clear = access.clear(packet)
    plain.proven(proof, proof_height)
    plain.require(bytes, acknowledgement)
    keepers, port_id, channel_id = access.keepers, clear.port_id_on_a, clear.channel_id_on_a
    # CHANNEL
    keepers.channels.get_open(ctx, port_id, channel_id)
    access.channel(ctx, channel, port_id, channel_id)
    if not acknowledgement:
        raise InvalidAcknowledgement("it is empty")
    # PROOF
    msg = MsgAcknowledgement(clear, acknowledgement, proof, proof_height, access.signer(port_id))
    verified = acknowledge.validate(keepers, ctx, msg)
    if isinstance(verified, Redundant):
        raise PacketCommitmentNotFound(port_id, channel_id, clear.sequence)
    # STATE
    acknowledge.execute(keepers, ctx, verified._replace(app=calling()))
    return clear
