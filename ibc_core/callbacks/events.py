"""The events that tell of a callback, attribute for attribute as ibc-go emits them."""

from enum import Enum

from ibc_core.callbacks.asked import Asked
from ibc_core.errors import IbcError
from ibc_core.host.events import Attribute, Event

MODULE_NAME = "ibccallbacks"
MAX_ERROR_TEXT = 1_024
"""Characters of an error that an event tells: a contract's own may have any number."""


class Occasion(Enum):
    """What a callback is of, as events and errors name it."""

    SEND = "send_packet"
    ACKNOWLEDGEMENT = "acknowledgement_packet"
    TIMEOUT = "timeout_packet"
    RECEIVE = "receive_packet"


def callback_event(
    occasion: Occasion,
    asked: Asked,
    port_id: str,
    channel_id: str,
    sequence: int,
    error: IbcError | None,
) -> Event:
    """A contract was called: with success, or with an error.

    `port_id`, `channel_id`: this chain's end, a client's identifier in IBC v2.
    """
    received = occasion is Occasion.RECEIVE
    end = "dest" if received else "src"
    outcome: tuple[Attribute, ...] = (("callback_result", "success"),)
    if error is not None:
        outcome = (("callback_error", str(error)[:MAX_ERROR_TEXT]), ("callback_result", "failure"))
    return (
        "ibc_dest_callback" if received else "ibc_src_callback",
        (
            ("module", MODULE_NAME),
            ("callback_type", occasion.value),
            ("callback_address", asked.address),
            ("callback_exec_gas_limit", str(asked.execution_gas)),
            ("callback_commit_gas_limit", str(asked.commit_gas)),
            ("packet_sequence", str(sequence)),
            ("callback_base_application_version", asked.version),
            *outcome,
            (f"packet_{end}_port", port_id),
            (f"packet_{end}_channel", channel_id),
        ),
    )
