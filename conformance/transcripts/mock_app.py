"""ibc-go's test applications on ports `mock` and `mockblockupgrade` (see the transcripts' README)."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from ibc_module import hookimpl
from pyibc.core.application.classic import AppAcknowledgement, IbcApp, Opening, Received
from pyibc.core.errors import IbcError
from pyibc.core.host.context import WriteContext
from pyibc.core.packet import acknowledgement as acks

TALKATIVE = {"mock": True, "mockblockupgrade": False}
"""Port -> whether its application emits events. Each has its own failure switches and is otherwise equal."""
VERSION = "mock-version"
CALLBACKS = ("on_chan_close_init", "on_chan_close_confirm", "on_acknowledgement_packet", "on_timeout_packet")
"""Callbacks that can be made to fail."""
_ATTRIBUTES = (
    ("mock-attribute-key-1", "mock-attribute-value-1"),
    ("mock-attribute-key-2", "mock-attribute-value-2"),
)


class MockRefusal(IbcError):
    """A callback of the mock application was made to fail."""

    callback: str
    codespace: ClassVar[str] = "undefined"
    code: ClassVar[int] = 1
    text: ClassVar[str] = "mock application {callback} failed"


class MockApp(IbcApp):
    """Acknowledges depending on packet data; callbacks named in `refusing` fail."""

    def __init__(self, talkative: bool = True) -> None:
        self.refusing: dict[str, str] = {}
        self._talkative = talkative

    def on_chan_open_init(self, opening: Opening) -> str:
        """Return the given version, or its own if none is given."""
        return opening.version if opening.version.strip() else VERSION

    def on_chan_open_try(self) -> str:
        """Return its own version."""
        return VERSION

    def on_chan_open_ack(self) -> None:
        """Accept."""

    def on_chan_open_confirm(self) -> None:
        """Accept."""

    def on_chan_close_init(self) -> None:
        """Accept, unless made to fail."""
        self._maybe_refuse("on_chan_close_init")

    def on_chan_close_confirm(self) -> None:
        """Accept, unless made to fail."""
        self._maybe_refuse("on_chan_close_confirm")

    def on_recv_packet(self, ctx: WriteContext, received: Received) -> AppAcknowledgement | None:
        """Acknowledge with success, asynchronously, or with an error."""
        self._tell(ctx, "mock-recv-packet")
        data = received.packet.data
        if data == b"mock packet data":
            return AppAcknowledgement(success=True, data=acks.success(b"mock acknowledgement"))
        if data == b"mock async packet data":
            return None
        return AppAcknowledgement(success=False, data=acks.failure(MockRefusal("on_recv_packet")))

    def on_acknowledgement_packet(self, ctx: WriteContext) -> None:
        """Emit an event, unless made to fail."""
        self._maybe_refuse("on_acknowledgement_packet")
        self._tell(ctx, "mock-ack-packet")

    def on_timeout_packet(self, ctx: WriteContext) -> None:
        """Emit an event, unless made to fail."""
        self._maybe_refuse("on_timeout_packet")
        self._tell(ctx, "mock-timeout")

    def _maybe_refuse(self, callback: str) -> None:
        if callback in self.refusing:
            raise MockRefusal(callback)

    def _tell(self, ctx: WriteContext, kind: str) -> None:
        if self._talkative:
            ctx.emit((kind, _ATTRIBUTES))


class MockPlugin:
    """The mock applications."""

    def __init__(self) -> None:
        self.apps = {port: MockApp(talkative) for port, talkative in TALKATIVE.items()}

    @hookimpl
    def chain_stores(self) -> Sequence[str]:
        """Return no stores."""
        return ()

    @hookimpl
    def ibc_register_apps(self) -> Mapping[str, IbcApp]:
        """Return an application for each port."""
        return self.apps
