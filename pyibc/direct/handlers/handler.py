"""Direct calls of one plugin: `DirectHandler`, every function of ICS-4's first text, and message routes."""

from collections.abc import Callable

from handlers.channel import close_confirm, close_init
from handlers.channel import open_ack as channel_ack
from handlers.channel import open_confirm as channel_confirm
from handlers.channel import open_init as channel_init
from handlers.channel import open_try as channel_try
from handlers.connection import open_ack as connection_ack
from handlers.connection import open_confirm as connection_confirm
from handlers.connection import open_init as connection_init
from handlers.connection import open_try as connection_try
from handlers.dispatch import Handler
from handlers.keepers_ref import KeepersRef
from handlers.packet import timeout
from keepers.keepers import Keepers
from pyibc.core import paths
from pyibc.core.application.services import PortOwner
from pyibc.core.channel.messages import MsgChannelOpenAck
from pyibc.core.channel.types import BOTH_STARTED, ChannelEnd
from pyibc.core.host.context import ReadContext
from pyibc.core.packet.types import Packet
from pyibc.core.wire.message import Msg
from pyibc.core.wire.states import decode_channel_end
from pyibc.direct.calls import ProvenChannel, ProvenEntry
from pyibc.direct.capability import Capability, CapabilityKeeper, OpaquePacket
from pyibc.direct.handlers import closing, plain
from pyibc.direct.handlers.access import ModuleAccess
from pyibc.direct.handlers.closing import TimeoutCalls
from pyibc.direct.handlers.opening import OpeningCalls
from pyibc.direct.handlers.packets import PacketCalls
from pyibc.direct.messages import (
    MsgCleanupPacket,
    MsgNamedChannelCloseConfirm,
    MsgNamedChannelCloseInit,
    MsgNamedChannelOpenAck,
    MsgNamedChannelOpenConfirm,
    MsgNamedChannelOpenInit,
    MsgNamedChannelOpenTry,
    MsgNamedConnectionOpenAck,
    MsgNamedConnectionOpenConfirm,
    MsgNamedConnectionOpenInit,
    MsgNamedConnectionOpenTry,
    MsgNamedTimeout,
)
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


class DirectHandler(OpeningCalls, PacketCalls, TimeoutCalls):
    """Handler for one plugin, bound to the plugin's ports.

    `channel` and `port` are capabilities. Every function that takes one raises NotPortOwner or
    InvalidCapability if it does not authorize the call; a function on a channel raises CapabilityRevoked if
    the channel is CLOSED. Arguments of other types than declared raise InvalidRequest.
    """

    __slots__ = ("_access",)

    def __init__(self, ref: KeepersRef[Keepers], capabilities: CapabilityKeeper, owner: PortOwner) -> None:
        self._access = ModuleAccess(ref, capabilities, owner)

    def bind_port(self, port_id: str) -> Capability:
        """Bind a port at wiring; later, return its capability to its owner again.

        A bound port without an application at the end of wiring takes direct calls only.

        Raises InvalidIdentifier, PortExists, InvalidRoute.
        """
        return self._access.capabilities.bind_port(self._access.owner, port_id)

    def channel_capability(
        self, ctx: ReadContext, port: Capability, port_id: str, channel_id: str
    ) -> Capability:
        """Return the capability of a channel of the port, however it was opened. Raises ChannelNotFound."""
        self._access.port(port, port_id)
        made = self._access.capabilities.channel(port_id, channel_id)
        self._access.channel(opened(ctx), made, port_id, channel_id)
        return made

    def query_channel(self, ctx: ReadContext, port_id: str, channel_id: str) -> ChannelEnd | None:
        """Return the channel end, None if it does not exist; needs no capability."""
        plain.require(str, port_id, channel_id)
        return query_channel(opened(ctx), port_id, channel_id)

    def to_opaque(self, packet: Packet) -> OpaquePacket:
        """Convert a packet to opaque form. Raises InvalidPacket, InvalidIdentifier."""
        return self._access.to_opaque(packet)


def _ack(keepers: Keepers, ctx: ReadContext, msg: MsgChannelOpenAck) -> channel_ack.VerifiedOpenAck:
    return channel_ack.validate(keepers, ctx, msg, BOTH_STARTED)


HANDLERS_DIRECT: dict[type[Msg], Handler[Keepers]] = {
    MsgNamedConnectionOpenInit: Handler(connection_init.validate, connection_init.execute),
    MsgNamedConnectionOpenTry: Handler(connection_try.validate, connection_try.execute),
    MsgNamedConnectionOpenAck: Handler(connection_ack.validate, connection_ack.execute),
    MsgNamedConnectionOpenConfirm: Handler(connection_confirm.validate, connection_confirm.execute),
    MsgNamedChannelOpenInit: Handler(channel_init.validate, channel_init.execute),
    MsgNamedChannelOpenTry: Handler(channel_try.validate, channel_try.execute),
    MsgNamedChannelOpenAck: Handler(_ack, channel_ack.execute),
    MsgNamedChannelOpenConfirm: Handler(channel_confirm.validate, channel_confirm.execute),
    MsgNamedChannelCloseInit: Handler(close_init.validate, close_init.execute),
    MsgNamedChannelCloseConfirm: Handler(close_confirm.validate, close_confirm.execute),
    MsgNamedTimeout: Handler(timeout.validate, timeout.execute),
    MsgCleanupPacket: Handler(closing.validate, closing.execute),
}
"""Handler of every message of the packages `pyibc.connection.v1` and `pyibc.channel.v1`."""
