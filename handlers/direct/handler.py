"""`DirectHandler` for one plugin: every function of ICS-4's first text, for the plugin's own ports."""

from handlers.direct import closing, packets, plain, query
from handlers.direct import opening as calls
from handlers.direct.access import ModuleAccess
from handlers.keepers_ref import KeepersRef
from ibc_core.application.ports import PortOwner
from ibc_core.channel.types import ChannelEnd
from ibc_core.direct.calls import AnyPacket, OpenedChannel, Opening
from ibc_core.direct.capability import Capability
from ibc_core.direct.opaque import OpaquePacket
from ibc_core.height import Height
from ibc_core.host.confined import opened
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.packet.types import Packet
from keepers.direct.capability import CapabilityKeeper
from keepers.keepers import Keepers


class ModuleHandler:
    """See `ibc_core.direct.calls.DirectHandler`. Its holder acts for the owner."""

    __slots__ = ("_access",)

    def __init__(self, ref: KeepersRef[Keepers], capabilities: CapabilityKeeper, owner: PortOwner) -> None:
        self._access = ModuleAccess(ref, capabilities, owner)

    def bind_port(self, port_id: str) -> Capability:
        """Raises InvalidIdentifier, PortExists, InvalidRoute."""
        return self._access.capabilities.bind_port(self._access.owner, port_id)

    def channel_capability(
        self, ctx: ReadContext, port: Capability, port_id: str, channel_id: str
    ) -> Capability:
        """Raises NotPortOwner, InvalidCapability, ChannelNotFound, CapabilityRevoked."""
        self._access.port(port, port_id)
        made = self._access.capabilities.channel(port_id, channel_id)
        self._access.channel(opened(ctx), made, port_id, channel_id)
        return made

    def chan_open_init(self, ctx: WriteContext, port: Capability, opening: Opening) -> OpenedChannel:
        """Raises what `handlers.channel.open_init` does, and for names and capabilities."""
        return calls.chan_open_init(self._access, opened(ctx), port, opening)

    def chan_open_try(
        self,
        ctx: WriteContext,
        port: Capability,
        opening: Opening,
        counterparty_version: str,
        proof_init: bytes,
        proof_height: Height,
        *,
        named_by_counterparty: bool = True,
    ) -> OpenedChannel:
        """Raises what `handlers.channel.open_try` does, and for names and capabilities."""
        proven = calls.Proven(proof_init, proof_height)
        return calls.chan_open_try(
            self._access, opened(ctx), port, opening, counterparty_version, proven, named_by_counterparty
        )

    def chan_open_ack(
        self,
        ctx: WriteContext,
        channel: Capability,
        port_id: str,
        channel_id: str,
        counterparty: tuple[str, str],
        proof_try: bytes,
        proof_height: Height,
    ) -> None:
        """Raises what `handlers.channel.open_ack` does, and for capabilities."""
        proven = calls.Proven(proof_try, proof_height)
        calls.chan_open_ack(self._access, opened(ctx), channel, (port_id, channel_id), counterparty, proven)

    def chan_open_confirm(
        self,
        ctx: WriteContext,
        channel: Capability,
        port_id: str,
        channel_id: str,
        proof_ack: bytes,
        proof_height: Height,
    ) -> None:
        """Raises what `handlers.channel.open_confirm` does, and for capabilities."""
        proven = calls.Proven(proof_ack, proof_height)
        calls.chan_open_confirm(self._access, opened(ctx), channel, (port_id, channel_id), proven)

    def chan_close_init(self, ctx: WriteContext, channel: Capability, port_id: str, channel_id: str) -> None:
        """Raises what `handlers.channel.close_init` does, and for capabilities."""
        calls.chan_close_init(self._access, opened(ctx), channel, (port_id, channel_id))

    def chan_close_confirm(
        self,
        ctx: WriteContext,
        channel: Capability,
        port_id: str,
        channel_id: str,
        proof_init: bytes,
        proof_height: Height,
    ) -> None:
        """Raises what `handlers.channel.close_confirm` does, and for capabilities."""
        proven = calls.Proven(proof_init, proof_height)
        calls.chan_close_confirm(self._access, opened(ctx), channel, (port_id, channel_id), proven)

    def send_packet(self, ctx: WriteContext, channel: Capability, packet: Packet) -> None:
        """Raises what `handlers.packet.send` does, for capabilities, and PacketSequenceOutOfOrder."""
        packets.send_packet(self._access, opened(ctx), channel, packet)

    def recv_packet(
        self,
        ctx: WriteContext,
        channel: Capability,
        packet: AnyPacket,
        proof: bytes,
        proof_height: Height,
        acknowledgement: bytes,
    ) -> Packet:
        """Raises what `handlers.packet.recv` does, for capabilities, and PacketReceived."""
        return packets.recv_packet(
            self._access, opened(ctx), channel, packet, proof, proof_height, acknowledgement
        )

    def write_acknowledgement(
        self, ctx: WriteContext, channel: Capability, packet: AnyPacket, acknowledgement: bytes
    ) -> None:
        """Raises what `handlers.packet.write_acknowledgement` does, and for capabilities."""
        packets.write_answer(self._access, opened(ctx), channel, packet, acknowledgement)

    def acknowledge_packet(
        self,
        ctx: WriteContext,
        channel: Capability,
        packet: AnyPacket,
        acknowledgement: bytes,
        proof: bytes,
        proof_height: Height,
    ) -> Packet:
        """Raises what `handlers.packet.acknowledge` does, for capabilities, and PacketCommitmentNotFound."""
        return packets.acknowledge_packet(
            self._access, opened(ctx), channel, packet, acknowledgement, proof, proof_height
        )

    def timeout_packet(
        self,
        ctx: WriteContext,
        held: Capability,
        packet: AnyPacket,
        proof: bytes,
        proof_height: Height,
        next_sequence_recv: int | None,
    ) -> Packet:
        """Raises what `handlers.packet.timeout` does, for capabilities, and PacketCommitmentNotFound."""
        return closing.timeout_packet(
            self._access, opened(ctx), held, packet, proof, proof_height, next_sequence_recv
        )

    def timeout_on_close(
        self,
        ctx: WriteContext,
        held: Capability,
        packet: AnyPacket,
        proofs: tuple[bytes, bytes],
        proof_height: Height,
        next_sequence_recv: int | None,
    ) -> Packet:
        """Raises what `handlers.packet.timeout_on_close` does, and as `timeout_packet`."""
        return closing.timeout_on_close_(
            self._access, opened(ctx), held, packet, proofs, proof_height, next_sequence_recv
        )

    def cleanup_packet(
        self,
        ctx: WriteContext,
        channel: Capability,
        packet: AnyPacket,
        proof: bytes,
        proof_height: Height,
        next_sequence_recv_or_acknowledgement: int | bytes,
    ) -> Packet:
        """Raises what `handlers.packet.cleanup` does, for capabilities, and PacketCommitmentNotFound."""
        claim = next_sequence_recv_or_acknowledgement
        return closing.cleanup_packet(self._access, opened(ctx), channel, packet, proof, proof_height, claim)

    def query_channel(self, ctx: ReadContext, port_id: str, channel_id: str) -> ChannelEnd | None:
        """Raises InvalidRequest for an identifier that is not a plain `str`."""
        plain.require(str, port_id, channel_id)
        return query.query_channel(opened(ctx), port_id, channel_id)

    def to_opaque(self, packet: Packet) -> OpaquePacket:
        """Raises InvalidRequest, InvalidPacket, InvalidIdentifier for a malformed packet."""
        return self._access.to_opaque(packet)
