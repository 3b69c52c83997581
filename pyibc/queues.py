"""The early protocol's provable queues: applications, ends, a relayer (docs/queue-protocol.md)."""

from ibc_core.queue.application import (
    QueueApp,
    QueueCommitted,
    QueueReceived,
    QueueRolledBack,
    QueueSender,
    QueueSending,
    QueueServices,
)
from ibc_core.queue.packet import QueueConfig, QueuePacket
from ibc_core.queue.types import End
from ibc_module.queue.plugin import QueuePlugin
from ibc_relayer.queue.courier import Options
from ibc_relayer.queue.dial import Dial
from ibc_relayer.queue.link import NAIVE, QueueLink
from ibc_relayer.queue.path import QueuePath, make_queue_path

__all__ = [
    "NAIVE",
    "Dial",
    "End",
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
