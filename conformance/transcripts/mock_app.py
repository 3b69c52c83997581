"""ibc-go's test application on port `mock`, as the transcripts' README describes it."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from ibc_core.application.classic import AppAcknowledgement, IbcApp, Opening, Received
from ibc_core.errors import IbcError
from ibc_core.host.context import WriteContext
from ibc_core.packet import acknowledgement as acks
from ibc_module import hookimpl

PORT = "mock"
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

    def __init__(self) -> None:
        self.refusing: dict[str, str] = {}

    def on_chan_open_init(self, opening: Opening) -> str:
        """Returns the given version, or its own if none is given."""
        return opening.version if opening.version.strip() else VERSION

    def on_chan_open_try(self) -> str:
        """Returns its own version."""
        return VERSION

    def on_chan_open_ack(self) -> None:
        """Accepts."""

    def on_chan_open_confirm(self) -> None:
        """Accepts."""

    def on_chan_close_init(self) -> None:
        """Accepts, unless made to fail."""
        self._maybe_refuse("on_chan_close_init")

    def on_chan_close_confirm(self) -> None:
        """Accepts, unless made to fail."""
        self._maybe_refuse("on_chan_close_confirm")

    def on_recv_packet(self, ctx: WriteContext, received: Received) -> AppAcknowledgement | None:
        """Acknowledges with success, asynchronously, or with an error."""
        ctx.emit(("mock-recv-packet", _ATTRIBUTES))
        data = received.packet.data
        if data == b"mock packet data":
            return AppAcknowledgement(success=True, data=acks.success(b"mock acknowledgement"))
        if data == b"mock async packet data":
            return None
        return AppAcknowledgement(success=False, data=acks.failure(MockRefusal("on_recv_packet")))

    def on_acknowledgement_packet(self, ctx: WriteContext) -> None:
        """Emits an event, unless made to fail."""
        self._maybe_refuse("on_acknowledgement_packet")
        ctx.emit(("mock-ack-packet", _ATTRIBUTES))

    def on_timeout_packet(self, ctx: WriteContext) -> None:
        """Emits an event, unless made to fail."""
        self._maybe_refuse("on_timeout_packet")
        ctx.emit(("mock-timeout", _ATTRIBUTES))

    def _maybe_refuse(self, callback: str) -> None:
        if callback in self.refusing:
            raise MockRefusal(callback)


class MockPlugin:
    """The mock application."""

    def __init__(self) -> None:
        self.app = MockApp()

    @hookimpl
    def chain_stores(self) -> Sequence[str]:
        """The application has no stores."""
        return ()

    @hookimpl
    def ibc_register_apps(self) -> Mapping[str, IbcApp]:
        """The application, on port `mock`."""
        return {PORT: self.app}
