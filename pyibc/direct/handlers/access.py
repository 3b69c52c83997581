"""Common checks of direct calls: capability, channel state, packet."""

from dataclasses import replace
from typing import Any

from handlers.channel.connection import state_after
from handlers.keepers_ref import KeepersRef
from keepers.keepers import Keepers
from pyibc.core.address import module_address
from pyibc.core.application.classic import AppAcknowledgement, BoundApp
from pyibc.core.application.services import PortOwner
from pyibc.core.channel.types import BOTH_STARTED, ChannelEnd, ChannelState
from pyibc.core.host.context import ReadContext
from pyibc.core.packet.types import Packet
from pyibc.direct.calls import AnyPacket
from pyibc.direct.capability import Capability, CapabilityKeeper, OpaquePacket, OpaquePackets
from pyibc.direct.errors import CapabilityRevoked
from pyibc.direct.handlers import plain


class ModuleAccess:
    """Access of one owner to the handlers."""

    def __init__(self, ref: KeepersRef[Keepers], capabilities: CapabilityKeeper, owner: PortOwner) -> None:
        self._ref = ref
        self.capabilities = capabilities
        self.owner = owner
        self._opaque = OpaquePackets()

    @property
    def keepers(self) -> Keepers:
        """Keepers of the chain."""
        return self._ref.keepers

    def signer(self, port_id: str) -> str:
        """Return the module's own address, which takes the place of a relayer's."""
        return self.keepers.addresses.encode(module_address(port_id)).text

    def port(self, held: Capability, port_id: str) -> None:
        """Check the capability of a port.

        Raises:
            NotPortOwner, InvalidCapability: see `CapabilityKeeper.authenticate_port`.
        """
        self.capabilities.authenticate_port(self.owner, held, port_id)

    def channel(self, ctx: ReadContext, held: Capability, port_id: str, channel_id: str) -> None:
        """Check the capability of a channel that is not closed.

        Raises:
            NotPortOwner, InvalidCapability: see `CapabilityKeeper.authenticate_channel`.
            ChannelNotFound: the channel does not exist, or its creation was reverted.
            CapabilityRevoked: the channel is CLOSED.
        """
        self.capabilities.authenticate_channel(self.owner, held, port_id, channel_id)
        if self.keepers.channels.get(ctx, port_id, channel_id).state is ChannelState.CLOSED:
            raise CapabilityRevoked(port_id, channel_id)

    def channel_or_port(self, ctx: ReadContext, held: Capability, port_id: str, channel_id: str) -> None:
        """Check the capability of a channel or of its port: packets may be pending on a closed channel.

        Raises:
            IbcError: see `channel`.
        """
        if not self.capabilities.is_port(self.owner, held, port_id):
            self.channel(ctx, held, port_id, channel_id)

    def in_state(self, ctx: ReadContext, port_id: str, channel_id: str, message: str) -> ChannelEnd:
        """Return a channel end in a state that accepts `message`.

        Raises:
            ChannelNotFound: the channel does not exist.
            InvalidChannelState: it is in another state.
            InvalidRequest: an identifier is not a plain `str`.
        """
        plain.require(str, port_id, channel_id)
        end = self.keepers.channels.get(ctx, port_id, channel_id)
        state_after(end, port_id, channel_id, message, BOTH_STARTED)
        return end

    def to_opaque(self, packet: Packet) -> OpaquePacket:
        """Convert a packet to opaque form.

        Raises:
            InvalidRequest, InvalidPacket, InvalidIdentifier: the packet is malformed.
        """
        plain.require(Packet, packet)
        plain.packet(packet)
        return self._opaque.to_opaque(replace(packet))  # a copy: the module may modify its own

    def decode(self, packet: AnyPacket) -> Packet:
        """Return the packet decoded and checked.

        Raises:
            UnknownOpaquePacket: it is another handler's, or not a packet.
            InvalidPacket, InvalidIdentifier, InvalidRequest: the packet is malformed.
        """
        found = packet if type(packet) is Packet else self._opaque.to_packet(packet)
        plain.packet(found)
        return found


# -- application stub for a module that makes direct calls: it is not called back


def do_nothing(*_: Any) -> None:
    """Do nothing."""


def stub_app(*, version: str = "", acknowledgement: bytes = b"") -> BoundApp:
    """Build an application that returns what the module passed in its call, and accepts everything.

    `acknowledgement` b"": the module acknowledges later.
    """
    answer = AppAcknowledgement(success=True, data=acknowledgement) if acknowledgement else None
    return BoundApp(
        on_chan_open_init=lambda *_: version,
        on_chan_open_try=lambda *_: version,
        on_chan_open_ack=do_nothing,
        on_chan_open_confirm=do_nothing,
        on_chan_close_init=do_nothing,
        on_chan_close_confirm=do_nothing,
        on_recv_packet=lambda *_: answer,
        on_acknowledgement_packet=do_nothing,
        on_timeout_packet=do_nothing,
    )
