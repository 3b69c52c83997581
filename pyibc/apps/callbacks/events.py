"""Events of callbacks, with ibc-go's attributes."""

from enum import Enum

from pyibc.apps.callbacks.memo import CallbackData
from pyibc.core.errors import IbcError
from pyibc.core.host.block import Attribute, Event

MODULE_NAME = "ibccallbacks"
MAX_ERROR_TEXT = 1_024
"""Maximal length, in characters, of an error in an event."""


class CallbackType(Enum):
    """Callback types, as events and errors name them (ibc-go's CallbackType)."""

    SEND = "send_packet"
    ACKNOWLEDGEMENT = "acknowledgement_packet"
    TIMEOUT = "timeout_packet"
    RECEIVE = "receive_packet"


def callback_event(
    callback_type: CallbackType,
    callback: CallbackData,
    port_id: str,
    channel_id: str,
    sequence: int,
    error: IbcError | None,
) -> Event:
    """Build the event of a contract call.

    `port_id`, `channel_id`: this chain's channel end; in IBC v2 a client identifier as `channel_id`.
    """
    received = callback_type is CallbackType.RECEIVE
    end = "dest" if received else "src"
    outcome: tuple[Attribute, ...] = (("callback_result", "success"),)
    if error is not None:
        outcome = (("callback_error", str(error)[:MAX_ERROR_TEXT]), ("callback_result", "failure"))
    return (
        "ibc_dest_callback" if received else "ibc_src_callback",
        (
            ("module", MODULE_NAME),
            ("callback_type", callback_type.value),
            ("callback_address", callback.address),
            ("callback_exec_gas_limit", str(callback.execution_gas)),
            ("callback_commit_gas_limit", str(callback.commit_gas)),
            ("packet_sequence", str(sequence)),
            ("callback_base_application_version", callback.version),
            *outcome,
            (f"packet_{end}_port", port_id),
            (f"packet_{end}_channel", channel_id),
        ),
    )
