"""A scripted application on queues, for packets of type `mock`."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from conformance.kit.scripted_app import REFUSED, ScriptedRefusal
from ibc_module import hookimpl
from ibc_module.registration import AtWiring
from pyibc.core.host.context import WriteContext
from pyibc.queues.application import (
    MakeQueueApp,
    QueueApp,
    QueueCommitted,
    QueueReceived,
    QueueRolledBack,
    QueueSender,
    QueueSending,
    QueueServices,
)

MOCK = "mock"
STORE = "scripted_queue"


class ScriptedQueueApp(QueueApp):
    """Accepts everything but `REFUSED` unless `script` says otherwise; records every call.

    `script[name]` replaces the callback `name` and receives its context and the fields of its value.
    """

    def __init__(self, sender: QueueSender) -> None:
        self.sender = sender
        self.script: dict[str, Callable[..., Any]] = {}
        self.calls: list[tuple[str, Any]] = []

    def on_send(self, ctx: WriteContext, sending: QueueSending) -> None:
        """Accept."""
        self._play("on_send", None, ctx, sending)

    def on_receive(self, ctx: WriteContext, received: QueueReceived) -> bytes:
        """Store the data and emit an event, then return `ok`, or refuse `REFUSED`."""
        packet = received.packet
        ctx.store(STORE).set(b"last", packet.data)
        ctx.emit(("scripted_received", (("sequence", str(packet.sequence)),)))
        if packet.data == REFUSED:
            raise ScriptedRefusal("on_receive")
        answer = self._play("on_receive", b"ok", ctx, received)
        return answer if isinstance(answer, bytes) else b""

    def on_commit(self, ctx: WriteContext, committed: QueueCommitted) -> None:
        """Record the call."""
        self._play("on_commit", None, ctx, committed)

    def on_rollback(self, ctx: WriteContext, rolled_back: QueueRolledBack) -> None:
        """Record the call."""
        self._play("on_rollback", None, ctx, rolled_back)

    def _play(self, name: str, default: Any, ctx: WriteContext, value: Any) -> Any:
        self.calls.append((name, tuple(value)))
        return self.script[name](ctx, *value) if name in self.script else default


class ScriptedQueuePlugin:
    """The scripted application for one packet type."""

    app = AtWiring[ScriptedQueueApp]()
    """The scripted application."""

    def __init__(self, packet_type: str = MOCK) -> None:
        self._type = packet_type

    @hookimpl
    def chain_stores(self) -> Sequence[str]:
        """Return the application's store."""
        return (STORE,)

    @hookimpl
    def ibc_register_queue_apps(self) -> Mapping[str, MakeQueueApp]:
        """Return the application for its packet type."""
        return {self._type: self._make}

    def _make(self, services: QueueServices) -> QueueApp:
        self.app = ScriptedQueueApp(services.sender)
        return self.app
