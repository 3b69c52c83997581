"""Stands in for the application of a module that makes direct calls: the module is not called back."""

from typing import Any

from ibc_core.application.classic import AppAcknowledgement, BoundApp


def silent(*_: Any) -> None:
    """A callback that does nothing."""


def calling(*, version: str = "", acknowledgement: bytes = b"") -> BoundApp:
    """Returns from each callback what the module passed in its call; accepts everything else.

    `acknowledgement` b"": the module acknowledges later.
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
