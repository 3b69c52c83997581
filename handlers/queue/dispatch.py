"""The messages of the queue protocol and their handlers."""

from handlers.dispatch import Handler
from handlers.queue import advance, handle_receipt, receive, register, send, timeout
from ibc_core.queue.advance import MsgAdvance
from ibc_core.queue.handle_receipt import MsgHandleReceipt
from ibc_core.queue.receive import MsgReceive
from ibc_core.queue.register import MsgRegister
from ibc_core.queue.send import MsgQueueSend
from ibc_core.queue.timeout import MsgQueueTimeout
from ibc_core.wire.message import Msg
from keepers.queue.keepers import QueueKeepers

HANDLERS: dict[type[Msg], Handler[QueueKeepers]] = {
    MsgRegister: Handler(register.validate, register.execute),
    MsgQueueSend: Handler(send.validate, send.execute),
    MsgReceive: Handler(receive.validate, receive.execute),
    MsgHandleReceipt: Handler(handle_receipt.validate, handle_receipt.execute),
    MsgQueueTimeout: Handler(timeout.validate, timeout.execute),
    MsgAdvance: Handler(advance.validate, advance.execute),
}
"""Every message of the protocol."""
