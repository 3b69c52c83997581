"""Table of the queue protocol's message handlers."""

from handlers.dispatch import Handler, handlers_of
from pyibc.core.wire.message import Msg
from pyibc.queues.handlers import advance, handle_receipt, receive, register, send, timeout
from pyibc.queues.keepers import QueueKeepers

HANDLERS: dict[type[Msg], Handler[QueueKeepers]] = handlers_of(
    register, send, receive, handle_receipt, timeout, advance
)
"""Handler of each message of the protocol."""
