"""The only way in to the queues: type URL -> decode, stateless checks, validate, execute, response."""

from collections.abc import Mapping

from handlers.dispatch import Handler, basic, empty, route_of
from handlers.queue import advance, handle_receipt, receive, register, send, timeout
from ibc_core.host.routes import MessageRoute
from ibc_core.queue import messages as checks
from ibc_core.wire.messages import queue
from keepers.queue.keepers import QueueKeepers

HANDLERS: dict[str, Handler[QueueKeepers]] = {
    queue.REGISTER: Handler(
        queue.decode_register,
        basic(checks.check_register),
        register.validate,
        register.execute,
        empty,
    ),
    queue.SEND: Handler(
        queue.decode_send,
        basic(checks.check_send),
        send.validate,
        send.execute,
        queue.encode_send_response,
    ),
    queue.RECEIVE: Handler(
        queue.decode_receive,
        basic(checks.check_items),
        receive.validate,
        receive.execute,
        empty,
    ),
    queue.HANDLE_RECEIPT: Handler(
        queue.decode_handle_receipt,
        basic(checks.check_items),
        handle_receipt.validate,
        handle_receipt.execute,
        empty,
    ),
    queue.TIMEOUT: Handler(
        queue.decode_timeout,
        basic(checks.check_timeout),
        timeout.validate,
        timeout.execute,
        empty,
    ),
    queue.ADVANCE: Handler(
        queue.decode_advance,
        basic(checks.check_advance),
        advance.validate,
        advance.execute,
        empty,
    ),
}
"""Every message of the protocol."""


def routes(keepers: QueueKeepers) -> Mapping[str, MessageRoute]:
    """The handlers of one chain, as its host takes them."""
    return {type_url: route_of(keepers, type_url, handler) for type_url, handler in HANDLERS.items()}
