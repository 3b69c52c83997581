"""The calling module in its application's place: it knows what it does, and is not called back."""

from typing import Any

from ibc_core.application.classic import AppAcknowledgement


def _nothing(*_: Any, **__: Any) -> None:
    """What a callback does that the module needs no telling of."""


class Caller:
    """Answers each callback with what the module said in its call; agrees to all else without a word."""

    def __init__(self, *, version: str = "", acknowledgement: bytes = b"") -> None:
        """`acknowledgement` b"": the module answers later."""
        self._version = version
        self._acknowledgement = acknowledgement

    def on_chan_open_init(self, *_: Any, **__: Any) -> str:
        """The version of the call."""
        return self._version

    def on_chan_open_try(self, *_: Any, **__: Any) -> str:
        """The version of the call."""
        return self._version

    def on_recv_packet(self, *_: Any, **__: Any) -> AppAcknowledgement | None:
        """The acknowledgement of the call."""
        return AppAcknowledgement(success=True, data=self._acknowledgement) if self._acknowledgement else None

    on_chan_open_ack = staticmethod(_nothing)
    on_chan_open_confirm = staticmethod(_nothing)
    on_chan_close_init = staticmethod(_nothing)
    on_chan_close_confirm = staticmethod(_nothing)
    on_acknowledgement_packet = staticmethod(_nothing)
    on_timeout_packet = staticmethod(_nothing)
    on_cleanup_packet = staticmethod(_nothing)
