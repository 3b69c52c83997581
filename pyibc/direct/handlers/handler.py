"""`DirectHandler` of one plugin: every function of ICS-4's first text, for the plugin's own ports."""

from collections.abc import Callable

from handlers.keepers_ref import KeepersRef
from keepers.keepers import Keepers
from pyibc.core import paths
from pyibc.core.application.services import PortOwner
from pyibc.core.channel.types import ChannelEnd
from pyibc.core.host.context import ReadContext
from pyibc.core.packet.types import Packet
from pyibc.core.wire.states import decode_channel_end
from pyibc.direct.calls import ProvenChannel, ProvenEntry
from pyibc.direct.capability import Capability, CapabilityKeeper
from pyibc.direct.handlers import plain
from pyibc.direct.handlers.access import ModuleAccess
from pyibc.direct.handlers.closing import TimeoutCalls
from pyibc.direct.handlers.opening import OpeningCalls
from pyibc.direct.handlers.packets import PacketCalls
from pyibc.direct.opaque import OpaquePacket
from pyibc.isolation.scoped_context import opened

# -- queries of a channel end (ICS-4 queryChannel), on request with a proof


def query_channel(ctx: ReadContext, port_id: str, channel_id: str) -> ChannelEnd | None:
    """Return the channel end `port_id`/`channel_id`, None if it does not exist."""
    raw = ctx.ibc.get(paths.channel_path(port_id, channel_id))
    return None if raw is None else decode_channel_end(raw)


def prove_channel(prove: Callable[[bytes], ProvenEntry], port_id: str, channel_id: str) -> ProvenChannel:
    """Return the channel end `port_id`/`channel_id` or its absence, with a proof.

    `prove` is the host's function from a key of the `ibc` store to the entry with its proof. It proves
    committed states only, not the current block.
    """
    found = prove(paths.channel_path(port_id, channel_id))
    end = None if found.value is None else decode_channel_end(found.value)
    return ProvenChannel(end, found.proof, found.height)


# -- the handler


class ModuleHandler(OpeningCalls, PacketCalls, TimeoutCalls):
    """Implementation of `pyibc.direct.calls.DirectHandler`. Its holder acts for the owner."""

    __slots__ = ("_access",)

    def __init__(self, ref: KeepersRef[Keepers], capabilities: CapabilityKeeper, owner: PortOwner) -> None:
        self._access = ModuleAccess(ref, capabilities, owner)

    def bind_port(self, port_id: str) -> Capability:
        """Implement `DirectHandler.bind_port`."""
        return self._access.capabilities.bind_port(self._access.owner, port_id)

    def channel_capability(
        self, ctx: ReadContext, port: Capability, port_id: str, channel_id: str
    ) -> Capability:
        """Implement `DirectHandler.channel_capability`."""
        self._access.port(port, port_id)
        made = self._access.capabilities.channel(port_id, channel_id)
        self._access.channel(opened(ctx), made, port_id, channel_id)
        return made

    def query_channel(self, ctx: ReadContext, port_id: str, channel_id: str) -> ChannelEnd | None:
        """Implement `DirectHandler.query_channel`."""
        plain.require(str, port_id, channel_id)
        return query_channel(opened(ctx), port_id, channel_id)

    def to_opaque(self, packet: Packet) -> OpaquePacket:
        """Implement `DirectHandler.to_opaque`."""
        return self._access.to_opaque(packet)
