"""The messages of the queue protocol and their handlers."""

from handlers.dispatch import Handler, handlers_of
from handlers.queue import advance, handle_receipt, receive, register, send, timeout
from ibc_core.wire.message import Msg
from keepers.queue.keepers import QueueKeepers

HANDLERS: dict[type[Msg], Handler[QueueKeepers]] = handlers_of(
    register, send, receive, handle_receipt, timeout, advance
)
"""Every message of the protocol."""
