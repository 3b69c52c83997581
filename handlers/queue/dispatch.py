"""The only way in to the queues: type URL -> decode, stateless checks, validate, execute, response."""

from collections.abc import Callable, Mapping
from typing import Any

from handlers.dispatch import Handler, route_of
from handlers.queue import advance, handle_receipt, receive, register, send, timeout
from ibc_module.core import queue_messages as checks
from ibc_module.core.address import AddressCodec
from ibc_module.hookspecs import MessageRoute
from ibc_module.wire.messages import queue
from keepers.queue_keepers import QueueKeepers


def _basic(check: Callable[[Any, AddressCodec], None]) -> Callable[[QueueKeepers, Any], None]:
    return lambda keepers, msg: check(msg, keepers.addresses)


def _empty(_: Any) -> bytes:
    return b""


HANDLERS: dict[str, Handler[QueueKeepers]] = {
    queue.REGISTER: Handler(
        queue.decode_register,
        _basic(checks.check_register),
        register.validate,
        register.execute,
        _empty,
    ),
    queue.SEND: Handler(
        queue.decode_send,
        _basic(checks.check_send),
        send.validate,
        send.execute,
        queue.encode_send_response,
    ),
    queue.RECEIVE: Handler(
        queue.decode_receive,
        _basic(checks.check_items),
        receive.validate,
        receive.execute,
        _empty,
    ),
    queue.HANDLE_RECEIPT: Handler(
        queue.decode_handle_receipt,
        _basic(checks.check_items),
        handle_receipt.validate,
        handle_receipt.execute,
        _empty,
    ),
    queue.TIMEOUT: Handler(
        queue.decode_timeout,
        _basic(checks.check_timeout),
        timeout.validate,
        timeout.execute,
        _empty,
    ),
    queue.ADVANCE: Handler(
        queue.decode_advance,
        _basic(checks.check_advance),
        advance.validate,
        advance.execute,
        _empty,
    ),
}
"""Every message of the protocol."""


def routes(keepers: QueueKeepers) -> Mapping[str, MessageRoute]:
    """The handlers of one chain, as its host takes them."""
    return {type_url: route_of(keepers, type_url, handler) for type_url, handler in HANDLERS.items()}
