"""An application that does what a test tells it to, and a plugin that lets a test act inside a block."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

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
"""Data of a packet that is answered with an error."""
LATER = b"later"
"""Data of a packet that is not answered at once."""

Action = Callable[[WriteContext], Any]


@dataclass(eq=False)
class ScriptedRefusal(IbcError):
    """The application was told to refuse."""

    callback: str
    codespace: ClassVar[str] = "scripted"
    code: ClassVar[int] = 7
    text: ClassVar[str] = "the scripted application refuses {callback}"


class ScriptedApp:
    """Agrees to everything, unless `script` says otherwise; `calls` lists the callbacks it got.

    `script[name]` is called in place of the callback `name`, with the callback's arguments.
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
        """Proposes its version where none was given."""
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
        """Settles on its version."""
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
        """Agrees."""
        ours = (ctx, port_id, channel_id, counterparty_channel_id, counterparty_version)
        self._play("on_chan_open_ack", None, *ours)

    def on_chan_open_confirm(self, ctx: WriteContext, port_id: str, channel_id: str) -> None:
        """Agrees."""
        self._play("on_chan_open_confirm", None, ctx, port_id, channel_id)

    def on_chan_close_init(self, ctx: WriteContext, port_id: str, channel_id: str) -> None:
        """Allows the close."""
        self._play("on_chan_close_init", None, ctx, port_id, channel_id)

    def on_chan_close_confirm(self, ctx: WriteContext, port_id: str, channel_id: str) -> None:
        """Takes note."""
        self._play("on_chan_close_confirm", None, ctx, port_id, channel_id)

    def on_recv_packet(
        self, ctx: WriteContext, channel_version: str, packet: Packet, relayer: Address
    ) -> AppAcknowledgement | None:
        """Success; an error for `REFUSED`; nothing yet for `LATER`. Writes the data to its store first."""
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
        """Takes note."""
        ours = (ctx, channel_version, packet, acknowledgement, relayer)
        self._play("on_acknowledgement_packet", None, *ours)

    def on_timeout_packet(
        self, ctx: WriteContext, channel_version: str, packet: Packet, relayer: Address
    ) -> None:
        """Takes note."""
        self._play("on_timeout_packet", None, ctx, channel_version, packet, relayer)


class ScriptedPlugin:
    """The scripted application; what is queued with `at_begin` runs in the next block.

    Args:
        port: Where it is bound: `transfer` makes a chain whose coins are whatever a test says they are.
        stores: What it declares; a second one on a chain finds the store declared.
    """

    def __init__(self, port: str = PORT, stores: Sequence[str] = (STORE,)) -> None:
        self.app = ScriptedApp()
        self._stores = stores
        self._port = port
        self.at_begin: list[Action] = []
        self._services: Services | None = None

    @property
    def services(self) -> Services:
        """What the application was given.

        Raises:
            ValueError: no pipeline holds the plugin yet.
        """
        if self._services is None:
            raise ValueError("the scripted plugin was used before a Pipeline held it")
        return self._services

    @property
    def sender(self) -> PacketSender:
        """What packets are sent through; raises as `services`."""
        return self.services.sender

    @hookimpl
    def chain_stores(self) -> Sequence[str]:
        """A store of its own."""
        return self._stores

    @hookimpl
    def ibc_register_apps(self, services: Services) -> Mapping[str, IbcApp]:
        """The application."""
        self._services = services
        return {self._port: self.app}

    @hookimpl
    def chain_begin_block(self, ctx: WriteContext) -> None:
        """Runs what was queued, once."""
        actions, self.at_begin = self.at_begin, []
        for action in actions:
            action(ctx)
