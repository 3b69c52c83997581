"""Hooks that the queue plugin asks: they exist where a host lists it."""

from collections.abc import Mapping

from ibc_core.queue.application import MakeQueueApp
from ibc_module import hookspec

# -- what applications on queues register, where QueuePlugin is listed


@hookspec
def ibc_register_queue_apps() -> Mapping[str, MakeQueueApp]:  # type: ignore[empty-body]
    """Type of packets on queues -> what makes its application; asked where the queue plugin is listed."""
