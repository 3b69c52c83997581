"""Batches: messages cut into transactions a block has room for. Pure."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol, TypeVar


class Limits(NamedTuple):
    """How much one transaction may hold."""

    messages: int = 100
    size: int = 900_000  # bytes of messages; CometBFT's mempool takes transactions of 1 MiB


class Sized(Protocol):
    """A message whose size is known."""

    @property
    def size(self) -> int:
        """Bytes it adds to a transaction."""


S = TypeVar("S", bound=Sized)


def pack(items: Sequence[S], limits: Limits) -> Iterator[list[S]]:
    """Cuts `items`, in order, into batches within `limits`; one that is too large by itself stands alone."""
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
