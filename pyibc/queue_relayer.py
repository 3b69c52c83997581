"""Relays the early protocol's queues (docs/relayer.md, docs/queue-protocol.md); needs `pyibc[relayer]`."""

from ibc_core.installation import need as _need

_need("ibc_relayer")

from ibc_relayer.queue.batch_policy import BatchPolicy as BatchPolicy
from ibc_relayer.queue.link import NAIVE as NAIVE
from ibc_relayer.queue.link import QueueLink as QueueLink
from ibc_relayer.queue.path import QueuePath as QueuePath
from ibc_relayer.queue.path import find_queue_path as find_queue_path
from ibc_relayer.queue.path import make_queue_path as make_queue_path
from ibc_relayer.queue.submitter import Options as Options
