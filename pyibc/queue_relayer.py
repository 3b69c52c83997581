"""Relayer of the early protocol's queues (docs/queue-protocol.md); needs `pyibc[relayer]`."""

from pyibc.installation import need as _need

_need("relayer")

from pyibc.relayer.queue.link import NAIVE as NAIVE
from pyibc.relayer.queue.link import QueueLink as QueueLink
from pyibc.relayer.queue.path import QueuePath as QueuePath
from pyibc.relayer.queue.path import find_queue_path as find_queue_path
from pyibc.relayer.queue.path import make_queue_path as make_queue_path
from pyibc.relayer.queue.submitter import BatchPolicy as BatchPolicy
from pyibc.relayer.queue.submitter import Options as Options
