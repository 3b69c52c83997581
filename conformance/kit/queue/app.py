"""An application on queues under a test's control, for packets of type `mock`."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from conformance.kit.app import REFUSED, ScriptedRefusal
from ibc_core.host.context import WriteContext
from ibc_core.queue.application import (
    MakeQueueApp,
    QueueApp,
    QueueCommitted,
    QueueReceived,
    QueueRolledBack,
    QueueSender,
    QueueSending,
    QueueServices,
)
from ibc_module import hookimpl
from ibc_module.at_wiring import AtWiring

MOCK = "mock"
STORE = "scripted_queue"


class ScriptedQueueApp(QueueApp):
    """Accepts everything but `REFUSED`, notes every call, and does what a test scripts.

    `script`: callback's name -> function of its context and its value's fields, called instead.
    """

    def __init__(self, sender: QueueSender) -> None:
        self.sender = sender
        self.script: dict[str, Callable[..., Any]] = {}
        self.calls: list[tuple[str, Any]] = []

    def on_send(self, ctx: WriteContext, sending: QueueSending) -> None:
        """Anybody may."""
        self._play("on_send", None, ctx, sending)

    def on_receive(self, ctx: WriteContext, received: QueueReceived) -> bytes:
        """Writes the data to its store and emits an event, then answers `ok`, or refuses `REFUSED`."""
        packet = received.packet
        ctx.store(STORE).set(b"last", packet.data)
        ctx.emit(("scripted_received", (("sequence", str(packet.sequence)),)))
        if packet.data == REFUSED:
            raise ScriptedRefusal("on_receive")
        answer = self._play("on_receive", b"ok", ctx, received)
        return answer if isinstance(answer, bytes) else b""

    def on_commit(self, ctx: WriteContext, committed: QueueCommitted) -> None:
        """Takes note."""
        self._play("on_commit", None, ctx, committed)

    def on_rollback(self, ctx: WriteContext, rolled_back: QueueRolledBack) -> None:
        """Takes note."""
        self._play("on_rollback", None, ctx, rolled_back)

    def _play(self, name: str, default: Any, ctx: WriteContext, value: Any) -> Any:
        self.calls.append((name, tuple(value)))
        return self.script[name](ctx, *value) if name in self.script else default


class ScriptedQueuePlugin:
    """The scripted application of packets of one type."""

    app = AtWiring[ScriptedQueueApp]()
    """The application."""

    def __init__(self, packet_type: str = MOCK) -> None:
        self._type = packet_type

    @hookimpl
    def chain_stores(self) -> Sequence[str]:
        """A store of its own."""
        return (STORE,)

    @hookimpl
    def ibc_register_queue_apps(self) -> Mapping[str, MakeQueueApp]:
        """The application."""
        return {self._type: self._make}

    def _make(self, services: QueueServices) -> QueueApp:
        self.app = ScriptedQueueApp(services.sender)
        return self.app
