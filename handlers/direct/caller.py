"""The calling module in its application's place: it knows what it does, and is not called back."""

from typing import Any

from ibc_core.application.classic import AppAcknowledgement, BoundApp


def silent(*_: Any) -> None:
    """What a callback does that the module needs no telling of."""


def calling(*, version: str = "", acknowledgement: bytes = b"") -> BoundApp:
    """Answers each callback with what the module said in its call; agrees to all else without a word.

    `acknowledgement` b"": the module answers later.
    """
    answer = AppAcknowledgement(success=True, data=acknowledgement) if acknowledgement else None
    return BoundApp(
        on_chan_open_init=lambda *_: version,
        on_chan_open_try=lambda *_: version,
        on_chan_open_ack=silent,
        on_chan_open_confirm=silent,
        on_chan_close_init=silent,
        on_chan_close_confirm=silent,
        on_recv_packet=lambda *_: answer,
        on_acknowledgement_packet=silent,
        on_timeout_packet=silent,
    )
