"""What stands on the port of a module that calls the handler itself (ICS-25): it takes no routed messages."""

from typing import Any, Never

from ibc_core.errors.direct import DirectCallsOnly


def _refusing(callback: str) -> Any:
    def refuse(*_: Any) -> Never:
        raise DirectCallsOnly(callback)

    return refuse


class DirectModule:
    """Refuses every callback, so that a relayer's messages cannot do what the module does in its own.

    Raises:
        DirectCallsOnly: in every callback.
    """

    on_chan_open_init = _refusing("on_chan_open_init")
    on_chan_open_try = _refusing("on_chan_open_try")
    on_chan_open_ack = _refusing("on_chan_open_ack")
    on_chan_open_confirm = _refusing("on_chan_open_confirm")
    on_chan_close_init = _refusing("on_chan_close_init")
    on_chan_close_confirm = _refusing("on_chan_close_confirm")
    on_recv_packet = _refusing("on_recv_packet")
    on_acknowledgement_packet = _refusing("on_acknowledgement_packet")
    on_timeout_packet = _refusing("on_timeout_packet")
