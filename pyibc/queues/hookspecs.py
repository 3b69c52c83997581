"""Hooks of the queue plugin; they exist if a host lists it."""

from collections.abc import Mapping

from ibc_module import hookspec
from pyibc.queues.application import MakeQueueApp

# -- applications on queues, if QueuePlugin is listed


@hookspec
def ibc_register_queue_apps() -> Mapping[str, MakeQueueApp]:  # type: ignore[empty-body]
    """Application factories by packet type; needs the queue plugin."""
