"""The early protocol's provable queues: applications, ends, a relayer (docs/queue-protocol.md)."""

from ibc_core.queue.advance import MsgAdvance
from ibc_core.queue.application import (
    QueueApp,
    QueueCommitted,
    QueueReceived,
    QueueRolledBack,
    QueueSender,
    QueueSending,
    QueueServices,
)
from ibc_core.queue.handle_receipt import MsgHandleReceipt
from ibc_core.queue.packet import QueueConfig, QueuePacket
from ibc_core.queue.receive import MsgReceive
from ibc_core.queue.register import MsgRegister
from ibc_core.queue.send import MsgQueueSend
from ibc_core.queue.timeout import MsgQueueTimeout
from ibc_core.queue.types import End
from ibc_module.queue.plugin import QueuePlugin
from ibc_relayer.queue.batch_policy import BatchPolicy
from ibc_relayer.queue.link import NAIVE, QueueLink
from ibc_relayer.queue.path import QueuePath, make_queue_path
from ibc_relayer.queue.submitter import Options

__all__ = [
    "NAIVE",
    "BatchPolicy",
    "End",
    "MsgAdvance",
    "MsgHandleReceipt",
    "MsgQueueSend",
    "MsgQueueTimeout",
    "MsgReceive",
    "MsgRegister",
    "Options",
    "QueueApp",
    "QueueCommitted",
    "QueueConfig",
    "QueueLink",
    "QueuePacket",
    "QueuePath",
    "QueuePlugin",
    "QueueReceived",
    "QueueRolledBack",
    "QueueSender",
    "QueueSending",
    "QueueServices",
    "make_queue_path",
]
