"""The checks that every direct call makes first: capability, channel state, packet."""

from dataclasses import replace

from handlers.channel.connection import state_after
from handlers.direct import plain
from handlers.keepers_ref import KeepersRef
from ibc_core.application.ports import PortOwner
from ibc_core.channel.types import BOTH_STARTED, ChannelEnd, ChannelState
from ibc_core.direct.calls import AnyPacket
from ibc_core.direct.capability import Capability
from ibc_core.direct.opaque import OpaquePacket, OpaquePackets
from ibc_core.errors.direct import CapabilityRevoked
from ibc_core.host.context import ReadContext
from ibc_core.host.module_account import module_address
from ibc_core.packet.types import Packet
from keepers.direct.capability import CapabilityKeeper
from keepers.keepers import Keepers


class ModuleAccess:
    """One owner's access to the handlers."""

    def __init__(self, ref: KeepersRef[Keepers], capabilities: CapabilityKeeper, owner: PortOwner) -> None:
        self._ref = ref
        self.capabilities = capabilities
        self.owner = owner
        self._opaque = OpaquePackets()

    @property
    def keepers(self) -> Keepers:
        """The chain's keepers."""
        return self._ref.keepers

    def signer(self, port_id: str) -> str:
        """The module's own account, in place of the relayer of the standard messages."""
        return self.keepers.addresses.encode(module_address(port_id)).text

    def port(self, held: Capability, port_id: str) -> None:
        """Checks a port's capability.

        Raises:
            NotPortOwner, InvalidCapability.
        """
        self.capabilities.authenticate_port(self.owner, held, port_id)

    def channel(self, ctx: ReadContext, held: Capability, port_id: str, channel_id: str) -> None:
        """Checks a channel's capability, which does not survive its channel.

        Raises:
            NotPortOwner, InvalidCapability: not the owner's.
            ChannelNotFound: no such channel, or it was undone.
            CapabilityRevoked: the channel is CLOSED.
        """
        self.capabilities.authenticate_channel(self.owner, held, port_id, channel_id)
        if self.keepers.channels.get(ctx, port_id, channel_id).state is ChannelState.CLOSED:
            raise CapabilityRevoked(port_id, channel_id)

    def channel_or_port(self, ctx: ReadContext, held: Capability, port_id: str, channel_id: str) -> None:
        """Checks the capability of a channel, or of its port: packets in flight outlive a channel.

        Raises:
            IbcError: see `channel`.
        """
        if not self.capabilities.is_port(self.owner, held, port_id):
            self.channel(ctx, held, port_id, channel_id)

    def in_state(self, ctx: ReadContext, port_id: str, channel_id: str, message: str) -> ChannelEnd:
        """A channel end in a state that accepts `message`.

        Raises:
            ChannelNotFound, InvalidChannelState.
            InvalidRequest: a name is not plain text.
        """
        plain.require(str, port_id, channel_id)
        end = self.keepers.channels.get(ctx, port_id, channel_id)
        state_after(end, port_id, channel_id, message, BOTH_STARTED)
        return end

    def to_opaque(self, packet: Packet) -> OpaquePacket:
        """Packet -> OpaquePacket.

        Raises:
            InvalidRequest, InvalidPacket, InvalidIdentifier: malformed.
        """
        plain.require(Packet, packet)
        plain.packet(packet)
        return self._opaque.to_opaque(replace(packet))  # a copy: the module may change its own

    def clear(self, packet: AnyPacket) -> Packet:
        """The decoded, well-formed packet.

        Raises:
            UnknownOpaquePacket: of another handler, or no packet at all.
            InvalidPacket, InvalidIdentifier, InvalidRequest: malformed.
        """
        found = packet if type(packet) is Packet else self._opaque.to_packet(packet)
        plain.packet(found)
        return found
