"""A scripted IBC application, and a plugin that runs test code inside a block."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from conformance.kit.registered import registered
from ibc_core.address import Address
from ibc_core.application.classic import AppAcknowledgement, IbcApp
from ibc_core.application.services import PacketSender, Services
from ibc_core.channel.types import ChannelCounterparty, Order
from ibc_core.errors import IbcError
from ibc_core.host.context import WriteContext
from ibc_core.packet import acknowledgement as acks
from ibc_core.packet.types import Packet
from ibc_module import hookimpl

PORT = "mock"
VERSION = "mock-version"
STORE = "scripted"
REFUSED = b"refuse"
"""Packet data that is acknowledged with an error."""
LATER = b"later"
"""Packet data that is acknowledged asynchronously."""

Action = Callable[[WriteContext], Any]


@dataclass(eq=False)
class ScriptedRefusal(IbcError):
    """A callback was scripted to fail."""

    callback: str
    codespace: ClassVar[str] = "scripted"
    code: ClassVar[int] = 7
    text: ClassVar[str] = "the scripted application refuses {callback}"


class ScriptedApp:
    """Accepts everything unless `script` says otherwise; `calls` records the callbacks.

    `script[name]` replaces the callback `name` and receives its arguments.
    """

    def __init__(self) -> None:
        self.script: dict[str, Callable[..., Any]] = {}
        self.calls: list[str] = []

    def refuse(self, callback: str) -> None:
        """Makes a callback raise `ScriptedRefusal` from now on."""

        def refusal(*_: Any) -> None:
            raise ScriptedRefusal(callback)

        self.script[callback] = refusal

    def _play(self, name: str, default: Any, *arguments: Any) -> Any:
        self.calls.append(name)
        scripted = self.script.get(name)
        return default if scripted is None else scripted(*arguments)

    def on_chan_open_init(
        self,
        ctx: WriteContext,
        order: Order,
        connection_id: str,
        port_id: str,
        channel_id: str,
        counterparty: ChannelCounterparty,
        version: str,
    ) -> str:
        """Returns the given version, or its own if none is given."""
        ours = (ctx, order, connection_id, port_id, channel_id, counterparty, version)
        return str(self._play("on_chan_open_init", version or VERSION, *ours))

    def on_chan_open_try(
        self,
        ctx: WriteContext,
        order: Order,
        connection_id: str,
        port_id: str,
        channel_id: str,
        counterparty: ChannelCounterparty,
        counterparty_version: str,
    ) -> str:
        """Returns its own version."""
        ours = (ctx, order, connection_id, port_id, channel_id, counterparty, counterparty_version)
        return str(self._play("on_chan_open_try", VERSION, *ours))

    def on_chan_open_ack(
        self,
        ctx: WriteContext,
        port_id: str,
        channel_id: str,
        counterparty_channel_id: str,
        counterparty_version: str,
    ) -> None:
        """Accepts."""
        ours = (ctx, port_id, channel_id, counterparty_channel_id, counterparty_version)
        self._play("on_chan_open_ack", None, *ours)

    def on_chan_open_confirm(self, ctx: WriteContext, port_id: str, channel_id: str) -> None:
        """Accepts."""
        self._play("on_chan_open_confirm", None, ctx, port_id, channel_id)

    def on_chan_close_init(self, ctx: WriteContext, port_id: str, channel_id: str) -> None:
        """Accepts."""
        self._play("on_chan_close_init", None, ctx, port_id, channel_id)

    def on_chan_close_confirm(self, ctx: WriteContext, port_id: str, channel_id: str) -> None:
        """Records the call."""
        self._play("on_chan_close_confirm", None, ctx, port_id, channel_id)

    def on_recv_packet(
        self, ctx: WriteContext, channel_version: str, packet: Packet, relayer: Address
    ) -> AppAcknowledgement | None:
        """Stores the data, then acknowledges: an error for `REFUSED`, nothing yet for `LATER`."""
        ctx.store(STORE).set(b"last", packet.data)
        ctx.emit(("scripted_received", (("sequence", str(packet.sequence)),)))
        answer: AppAcknowledgement | None = AppAcknowledgement(success=True, data=acks.success())
        if packet.data == REFUSED:
            refusal = ScriptedRefusal("on_recv_packet")
            answer = AppAcknowledgement(success=False, data=acks.failure(refusal))
        elif packet.data == LATER:
            answer = None
        played = self._play("on_recv_packet", answer, ctx, channel_version, packet, relayer)
        return played if isinstance(played, AppAcknowledgement) else None

    def on_acknowledgement_packet(
        self,
        ctx: WriteContext,
        channel_version: str,
        packet: Packet,
        acknowledgement: bytes,
        relayer: Address,
    ) -> None:
        """Records the call."""
        ours = (ctx, channel_version, packet, acknowledgement, relayer)
        self._play("on_acknowledgement_packet", None, *ours)

    def on_timeout_packet(
        self, ctx: WriteContext, channel_version: str, packet: Packet, relayer: Address
    ) -> None:
        """Records the call."""
        self._play("on_timeout_packet", None, ctx, channel_version, packet, relayer)


class ScriptedPlugin:
    """The scripted application; actions in `at_begin` run in the next block.

    Args:
        port: The port it binds; on `transfer`, the test controls the chain's ICS-20 packets.
        stores: Stores it declares; () for a second instance on the same chain.
    """

    def __init__(self, port: str = PORT, stores: Sequence[str] = (STORE,)) -> None:
        self.app = ScriptedApp()
        self._stores = stores
        self._port = port
        self.at_begin: list[Action] = []
        self._services: Services | None = None

    @property
    def services(self) -> Services:
        """The services the application was given.

        Raises:
            ValueError: the plugin is not in a pipeline yet.
        """
        return registered(self._services, "scripted plugin")

    @property
    def sender(self) -> PacketSender:
        """Sends packets for the application; raises as `services`."""
        return self.services.sender

    @hookimpl
    def chain_stores(self) -> Sequence[str]:
        """The declared stores."""
        return self._stores

    @hookimpl
    def ibc_register_apps(self, services: Services) -> Mapping[str, IbcApp]:
        """The application on its port."""
        self._services = services
        return {self._port: self.app}

    @hookimpl
    def chain_begin_block(self, ctx: WriteContext) -> None:
        """Runs the queued actions once."""
        actions, self.at_begin = self.at_begin, []
        for action in actions:
            action(ctx)
