"""The early protocol's provable queues: applications, messages, ends (docs/queue-protocol.md)."""

from ibc_core.queue.advance import MsgAdvance as MsgAdvance
from ibc_core.queue.application import QueueApp as QueueApp
from ibc_core.queue.application import QueueCommitted as QueueCommitted
from ibc_core.queue.application import QueueReceived as QueueReceived
from ibc_core.queue.application import QueueRolledBack as QueueRolledBack
from ibc_core.queue.application import QueueSender as QueueSender
from ibc_core.queue.application import QueueSending as QueueSending
from ibc_core.queue.application import QueueServices as QueueServices
from ibc_core.queue.handle_receipt import MsgHandleReceipt as MsgHandleReceipt
from ibc_core.queue.packet import QueueConfig as QueueConfig
from ibc_core.queue.packet import QueuePacket as QueuePacket
from ibc_core.queue.receive import MsgReceive as MsgReceive
from ibc_core.queue.register import MsgRegister as MsgRegister
from ibc_core.queue.send import MsgQueueSend as MsgQueueSend
from ibc_core.queue.timeout import MsgQueueTimeout as MsgQueueTimeout
from ibc_core.queue.types import End as End
from ibc_module.queue.plugin import QueuePlugin as QueuePlugin
