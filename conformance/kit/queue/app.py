"""A scripted application on queues, for packets of type `mock`."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from conformance.kit.registered import registered
from conformance.kit.scripted_app import REFUSED, ScriptedRefusal
from ibc_core.address import Address
from ibc_core.host.context import WriteContext
from ibc_core.queue.application import MakeQueueApp, QueueApp, QueueSender, QueueServices
from ibc_core.queue.packet import QueuePacket
from ibc_module import hookimpl

MOCK = "mock"
STORE = "scripted_queue"


class ScriptedQueueApp:
    """Accepts everything but `REFUSED` unless `script` says otherwise; records every call.

    `script[name]` replaces the callback `name` and receives its arguments.
    """

    def __init__(self, sender: QueueSender) -> None:
        self.sender = sender
        self.script: dict[str, Callable[..., Any]] = {}
        self.calls: list[tuple[str, Any]] = []

    def on_send(self, ctx: WriteContext, packet: QueuePacket, sender: Address) -> None:
        """Accepts."""
        self._play("on_send", None, ctx, packet, sender)

    def on_receive(self, ctx: WriteContext, packet: QueuePacket) -> bytes:
        """Stores the data and emits an event, then returns `ok`, or refuses `REFUSED`."""
        ctx.store(STORE).set(b"last", packet.data)
        ctx.emit(("scripted_received", (("sequence", str(packet.sequence)),)))
        if packet.data == REFUSED:
            raise ScriptedRefusal("on_receive")
        answer = self._play("on_receive", b"ok", ctx, packet)
        return answer if isinstance(answer, bytes) else b""

    def commit(self, ctx: WriteContext, packet: QueuePacket, result: bytes) -> None:
        """Records the call."""
        self._play("commit", None, ctx, packet, result)

    def rollback(self, ctx: WriteContext, packet: QueuePacket, codespace: str, code: int) -> None:
        """Records the call."""
        self._play("rollback", None, ctx, packet, codespace, code)

    def _play(self, name: str, default: Any, *arguments: Any) -> Any:
        self.calls.append((name, arguments[1:]))
        return self.script[name](*arguments) if name in self.script else default


class ScriptedQueuePlugin:
    """The scripted application for one packet type."""

    def __init__(self, packet_type: str = MOCK) -> None:
        self._type = packet_type
        self._app: ScriptedQueueApp | None = None

    @property
    def app(self) -> ScriptedQueueApp:
        """The application.

        Raises:
            ValueError: the plugin is not in a pipeline with queues yet.
        """
        return registered(self._app, "scripted queue plugin")

    @hookimpl
    def chain_stores(self) -> Sequence[str]:
        """The application's store."""
        return (STORE,)

    @hookimpl
    def ibc_register_queue_apps(self) -> Mapping[str, MakeQueueApp]:
        """The application for its packet type."""
        return {self._type: self._make}

    def _make(self, services: QueueServices) -> QueueApp:
        self._app = ScriptedQueueApp(services.sender)
        return self._app
