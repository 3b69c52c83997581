"""Splits messages into batches, one a transaction. Pure."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol, TypeVar


class Limits(NamedTuple):
    """The limits of a batch."""

    messages: int = 100
    size: int = 900_000  # bytes of messages; CometBFT's mempool takes transactions of 1 MiB


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
