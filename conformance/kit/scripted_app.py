"""A scripted IBC application, and a plugin that runs test code inside a block."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from ibc_module import hookimpl
from ibc_module.registration import AtWiring
from pyibc.core.application.classic import (
    Acknowledged,
    AppAcknowledgement,
    Closing,
    IbcApp,
    Opened,
    Opening,
    Received,
    TimedOut,
)
from pyibc.core.application.services import PacketSender, Services
from pyibc.core.errors import IbcError
from pyibc.core.host.context import WriteContext
from pyibc.core.packet import acknowledgement as acks

PORT = "mock"
PORT_ON_B = "mirror"
"""Port of the application on chain B of a pair; always differs from the port on chain A."""
VERSION = "mock-version"
STORE = "scripted"
REFUSED = b"refuse"
"""Packet data that is acknowledged with an error."""
LATER = b"later"
"""Packet data that is acknowledged asynchronously."""

Action = Callable[[WriteContext], Any]


class ScriptedRefusal(IbcError):
    """A callback was scripted to fail."""

    callback: str
    codespace: ClassVar[str] = "scripted"
    code: ClassVar[int] = 7
    text: ClassVar[str] = "the scripted application refuses {callback}"


class ScriptedApp(IbcApp):
    """Accepts everything unless `script` says otherwise; `calls` records the callbacks.

    `script[name]` replaces the callback `name` and receives its context and the fields of its value.
    """

    def __init__(self, store: str = STORE) -> None:
        self._store = store
        self.script: dict[str, Callable[..., Any]] = {}
        self.calls: list[str] = []

    def refuse(self, callback: str) -> None:
        """Make a callback raise `ScriptedRefusal` from now on."""

        def refusal(*_: Any) -> None:
            raise ScriptedRefusal(callback)

        self.script[callback] = refusal

    def _play(self, name: str, default: Any, ctx: WriteContext, value: tuple[Any, ...]) -> Any:
        self.calls.append(name)
        scripted = self.script.get(name)
        return default if scripted is None else scripted(ctx, *value)

    def on_chan_open_init(self, ctx: WriteContext, opening: Opening) -> str:
        """Return the given version, or its own if none is given."""
        return str(self._play("on_chan_open_init", opening.version or VERSION, ctx, opening))

    def on_chan_open_try(self, ctx: WriteContext, opening: Opening) -> str:
        """Return its own version."""
        return str(self._play("on_chan_open_try", VERSION, ctx, opening))

    def on_chan_open_ack(self, ctx: WriteContext, opened: Opened) -> None:
        """Accept."""
        self._play("on_chan_open_ack", None, ctx, opened)

    def on_chan_open_confirm(self, ctx: WriteContext, opened: Opened) -> None:
        """Accept."""
        self._play("on_chan_open_confirm", None, ctx, opened)

    def on_chan_close_init(self, ctx: WriteContext, closing: Closing) -> None:
        """Accept."""
        self._play("on_chan_close_init", None, ctx, closing)

    def on_chan_close_confirm(self, ctx: WriteContext, closing: Closing) -> None:
        """Record the call."""
        self._play("on_chan_close_confirm", None, ctx, closing)

    def on_recv_packet(self, ctx: WriteContext, received: Received) -> AppAcknowledgement | None:
        """Store the data, then acknowledge: an error for `REFUSED`, nothing yet for `LATER`."""
        packet = received.packet
        ctx.store(self._store).set(b"last", packet.data)
        ctx.emit(("scripted_received", (("sequence", str(packet.sequence)),)))
        answer: AppAcknowledgement | None = AppAcknowledgement(success=True, data=acks.success())
        if packet.data == REFUSED:
            refusal = ScriptedRefusal("on_recv_packet")
            answer = AppAcknowledgement(success=False, data=acks.failure(refusal))
        elif packet.data == LATER:
            answer = None
        played = self._play("on_recv_packet", answer, ctx, received)
        return played if isinstance(played, AppAcknowledgement) else None

    def on_acknowledgement_packet(self, ctx: WriteContext, acknowledged: Acknowledged) -> None:
        """Record the call."""
        self._play("on_acknowledgement_packet", None, ctx, acknowledged)

    def on_timeout_packet(self, ctx: WriteContext, timed_out: TimedOut) -> None:
        """Record the call."""
        self._play("on_timeout_packet", None, ctx, timed_out)


class ScriptedPlugin:
    """The scripted application; actions in `at_begin` run in the next block.

    Args:
        port: The port it binds; on `transfer`, the test controls the chain's ICS-20 packets.
        store: The store it declares; another for a second instance on the same chain.
    """

    services = AtWiring[Services]()
    """Services that the application received."""

    def __init__(self, port: str = PORT, store: str = STORE) -> None:
        self.app = ScriptedApp(store)
        self._store = store
        self._port = port
        self.at_begin: list[Action] = []

    @property
    def sender(self) -> PacketSender:
        """Packet sender of the application; raises as `services`."""
        return self.services.sender

    @hookimpl
    def chain_stores(self) -> Sequence[str]:
        """Return the declared store."""
        return (self._store,)

    @hookimpl
    def ibc_register_apps(self, services: Services) -> Mapping[str, IbcApp]:
        """Return the application on its port."""
        self.services = services
        return {self._port: self.app}

    @hookimpl
    def chain_begin_block(self, ctx: WriteContext) -> None:
        """Run the queued actions once."""
        actions, self.at_begin = self.at_begin, []
        for action in actions:
            action(ctx)
