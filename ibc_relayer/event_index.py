"""An endpoint that may know where an event is, so that blocks need not be read one by one."""

from typing import Protocol, runtime_checkable

from ibc_relayer.packets import EventKey


@runtime_checkable
class FindsEvents(Protocol):
    """A chain's endpoint with an index of events, as most nodes have one. Nothing depends on it."""

    def find(self, key: EventKey) -> int | None:
        """Height of a block with the event; None: the index does not tell. May be wrong."""
