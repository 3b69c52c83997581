"""Direct calls for packets (ICS-4 sendPacket, recvPacket, acknowledgePacket).

Checks follow the order of the specification: channel and state, capability, the packet's ends, connection,
timeout, proof, sequence.
"""

from handlers.packet import acknowledge, recv, send, write_acknowledgement
from handlers.packet.recv import check_source
from handlers.packet.route import check_destination
from pyibc.core.channel.types import ChannelState
from pyibc.core.errors import (
    InvalidAcknowledgement,
    InvalidChannelState,
    PacketCommitmentNotFound,
    PacketReceived,
    PacketSequenceOutOfOrder,
)
from pyibc.core.height import Height
from pyibc.core.host.context import WriteContext
from pyibc.core.packet.messages import MsgAcknowledgement, MsgRecvPacket, Redundant
from pyibc.core.packet.types import Packet, event_head
from pyibc.direct.calls import AnyPacket
from pyibc.direct.capability import Capability
from pyibc.direct.handlers import plain
from pyibc.direct.handlers.access import ModuleAccess, stub_app
from pyibc.isolation.scoped_context import opened


class PacketCalls:
    """Packet functions of a `DirectHandler`."""

    __slots__ = ()
    _access: ModuleAccess

    def send_packet(self, ctx: WriteContext, channel: Capability, packet: Packet) -> None:
        """Send a packet with the next sequence.

        Raises PacketSequenceOutOfOrder for another sequence, and as `handlers.packet.send`.
        """
        access, ctx = self._access, opened(ctx)
        packet = access.decode(packet)
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
        self,
        ctx: WriteContext,
        channel: Capability,
        packet: AnyPacket,
        proof: bytes,
        proof_height: Height,
        acknowledgement: bytes,
    ) -> Packet:
        """Receive a packet and acknowledge it, or later if `acknowledgement` is b""; return it decoded.

        Raises PacketReceived for a packet received before, and as `handlers.packet.recv`.
        """
        access, ctx = self._access, opened(ctx)
        decoded = access.decode(packet)
        plain.proven(proof, proof_height)
        plain.require(bytes, acknowledgement)
        keepers, port_id, channel_id = access.keepers, decoded.port_id_on_b, decoded.channel_id_on_b
        # CHANNEL
        keepers.channels.get_open(ctx, port_id, channel_id)
        access.channel(ctx, channel, port_id, channel_id)
        # PROOF
        msg = MsgRecvPacket(decoded, proof, proof_height, access.signer(port_id))
        verified = recv.validate(keepers, ctx, msg)
        if isinstance(verified, Redundant):
            raise PacketReceived(decoded.sequence, "it was received before")
        # STATE
        with ctx.branch():  # reverts if the module wrote the acknowledgement before the packet was received
            recv.execute(keepers, ctx, verified._replace(app=stub_app(acknowledgement=acknowledgement)))
        return decoded

    def write_acknowledgement(
        self, ctx: WriteContext, channel: Capability, packet: AnyPacket, acknowledgement: bytes
    ) -> None:
        """Acknowledge a packet that was received without an acknowledgement.

        Raises as `handlers.packet.write_acknowledgement`.
        """
        access, ctx = self._access, opened(ctx)
        decoded = access.decode(packet)
        plain.require(bytes, acknowledgement)
        keepers, port_id, channel_id = access.keepers, decoded.port_id_on_b, decoded.channel_id_on_b
        # CHANNEL
        end_on_b = keepers.channels.get_open(ctx, port_id, channel_id)
        access.channel(ctx, channel, port_id, channel_id)
        check_source(end_on_b, decoded)
        verified = write_acknowledgement.validate(keepers, ctx, decoded, acknowledgement)
        # STATE
        write_acknowledgement.execute(keepers, ctx, verified, event_head(decoded))

    def acknowledge_packet(
        self,
        ctx: WriteContext,
        channel: Capability,
        packet: AnyPacket,
        acknowledgement: bytes,
        proof: bytes,
        proof_height: Height,
    ) -> Packet:
        """Process the acknowledgement of a packet; return the packet decoded.

        Raises PacketCommitmentNotFound if the packet is not pending, and as `handlers.packet.acknowledge`.
        """
        access, ctx = self._access, opened(ctx)
        decoded = access.decode(packet)
        plain.proven(proof, proof_height)
        plain.require(bytes, acknowledgement)
        keepers, port_id, channel_id = access.keepers, decoded.port_id_on_a, decoded.channel_id_on_a
        # CHANNEL
        keepers.channels.get_open(ctx, port_id, channel_id)
        access.channel(ctx, channel, port_id, channel_id)
        if not acknowledgement:
            raise InvalidAcknowledgement("it is empty")
        # PROOF
        msg = MsgAcknowledgement(decoded, acknowledgement, proof, proof_height, access.signer(port_id))
        verified = acknowledge.validate(keepers, ctx, msg)
        if isinstance(verified, Redundant):
            raise PacketCommitmentNotFound(port_id, channel_id, decoded.sequence)
        # STATE
        acknowledge.execute(keepers, ctx, verified._replace(app=stub_app()))
        return decoded
