"""Splits messages into batches, one a transaction. Pure."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol, TypeVar


class Limits(NamedTuple):
    """The limits of a batch."""

    messages: int = 100
    size: int = 700_000  # bytes of messages; CometBFT's RPC takes requests of 1,000,000 bytes, base64 and all


class Sized(Protocol):
    """A message whose size is known."""

    @property
    def size(self) -> int:
        """Bytes it adds to a transaction."""


S = TypeVar("S", bound=Sized)


def pack(items: Sequence[S], limits: Limits) -> Iterator[list[S]]:
    """Splits `items`, in order, into batches within `limits`; an oversized item is a batch of its own."""
    batch: list[S] = []
    size = 0
    for item in items:
        if batch and (len(batch) == limits.messages or size + item.size > limits.size):
            yield batch
            batch, size = [], 0
        batch.append(item)
        size += item.size
    if batch:
        yield batch


# guard: h143-a-limit-is-forgotten-at-once {20 => 1}
#   test_h143_a_batch_too_large_is_halved_and_the_limit_is_remembered
PATIENCE = 20
"""Transactions in a row that must succeed within lowered limits before higher ones are tried again."""


class LearnedLimits:
    """Limits that a chain has lowered by refusing a transaction for its size or its gas."""

    def __init__(self, limits: Limits) -> None:
        """`limits` are never exceeded."""
        self._most = limits
        self._accepted = 0
        self.now = limits

    def refused(self, batch: Sequence[Sized]) -> None:
        """A transaction of `batch` was too large: half of it is the limit from now on."""
        size = sum(item.size for item in batch)
        self.now = Limits(
            max(1, min(self.now.messages, len(batch)) // 2), max(1, min(self.now.size, size) // 2)
        )
        self._accepted = 0

    def accepted(self) -> None:
        """A transaction went through; after `PATIENCE` of them the limits double."""
        self._accepted += 1
        if self._accepted >= PATIENCE and self.now != self._most:
            doubled = Limits(*(2 * each for each in self.now))
            self.now = Limits(min(self._most.messages, doubled.messages), min(self._most.size, doubled.size))
            self._accepted = 0
