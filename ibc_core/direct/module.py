"""What stands on the port of a module that calls the handler itself (ICS-25): it takes no routed messages."""

from collections.abc import Callable
from typing import Any, Final, Never

from ibc_core.application.classic import BoundApp
from ibc_core.errors.direct import DirectCallsOnly


def _refusing(callback: str) -> Callable[..., Never]:
    def refuse(*_: Any) -> Never:
        raise DirectCallsOnly(callback)

    return refuse


DIRECT_MODULE: Final = BoundApp(
    on_chan_open_init=_refusing("on_chan_open_init"),
    on_chan_open_try=_refusing("on_chan_open_try"),
    on_chan_open_ack=_refusing("on_chan_open_ack"),
    on_chan_open_confirm=_refusing("on_chan_open_confirm"),
    on_chan_close_init=_refusing("on_chan_close_init"),
    on_chan_close_confirm=_refusing("on_chan_close_confirm"),
    on_recv_packet=_refusing("on_recv_packet"),
    on_acknowledgement_packet=_refusing("on_acknowledgement_packet"),
    on_timeout_packet=_refusing("on_timeout_packet"),
)
"""Raises `DirectCallsOnly` in every callback: what relayers bring cannot do what the module does itself."""
