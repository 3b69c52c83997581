"""The dial between cost and latency [IBC-channels 3.7]: how long packets wait to share one header."""

from typing import NamedTuple


class Dial(NamedTuple):
    """When a relayer sets out. An update of a client costs far more than a proof under a known header."""

    packets: int = 1  # so many waiting: now
    blocks: int = 0  # fewer: after so many blocks of the chain where they wait


class Patience:
    """How long one direction of one path has had something to bring."""

    def __init__(self, dial: Dial) -> None:
        self._dial = dial
        self._since: int | None = None  # height at which something was first seen to wait

    def is_due(self, number: int, height: int) -> bool:
        """Whether to set out with `number` packets or receipts that wait at `height`."""
        if not number:
            self._since = None
            return False
        if self._since is None:
            self._since = height
        due = number >= self._dial.packets or height - self._since >= self._dial.blocks
        if due:
            self._since = None
        return due
