"""Cost against latency [IBC-channels 3.7]: how long packets wait to share one client update."""

from typing import NamedTuple


class BatchPolicy(NamedTuple):
    """When to submit a batch: a client update costs far more than one more proof under the same header."""

    packets: int = 1  # submit once so many are pending
    blocks: int = 0  # or after so many blocks of the chain where they are pending


class BatchTimer:
    """Measures how long something has been pending for one chain."""

    def __init__(self, policy: BatchPolicy) -> None:
        self._policy = policy
        self._since: int | None = None  # height at which something was first seen pending

    def is_due(self, number: int, height: int) -> bool:
        """Whether to submit now, with `number` packets or receipts pending at `height`."""
        if not number:
            self._since = None
            return False
        if self._since is None:
            self._since = height
        due = number >= self._policy.packets or height - self._since >= self._policy.blocks
        if due:
            self._since = None
        return due
