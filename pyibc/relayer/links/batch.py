"""Split messages into batches, one per transaction."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol, TypeVar

from pyibc.codec.anys import AnyMessage
from pyibc.core.host.block import TxOutcome
from pyibc.relayer.clients.foreign_client import ForeignClient
from pyibc.relayer.links.outcomes import Action, action_of, send
from pyibc.relayer.metrics import Metrics


class BatchLimits(NamedTuple):
    """BatchLimits of a batch."""

    messages: int = 100
    size: int = 700_000  # bytes of messages; CometBFT's RPC accepts requests of 1,000,000 bytes in base64


class Sized(Protocol):
    """Message with a known size."""

    @property
    def size(self) -> int:
        """Bytes it adds to a transaction."""


S = TypeVar("S", bound=Sized)


def pack(items: Sequence[S], limits: BatchLimits) -> Iterator[list[S]]:
    """Split `items` into batches within `limits`, in order; an oversized item forms a batch of its own."""
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
"""Consecutive transactions that must succeed within lowered limits before the limits are raised."""


class LearnedLimits:
    """Batch limits, lowered when a chain refuses a transaction for its size or gas."""

    def __init__(self, limits: BatchLimits) -> None:
        """Start with `limits`, which are never exceeded."""
        self._most = limits
        self._accepted = 0
        self.now = limits

    def refused(self, batch: Sequence[Sized]) -> None:
        """Lower the limits to half of `batch`, whose transaction was too large."""
        size = sum(item.size for item in batch)
        self.now = BatchLimits(
            max(1, min(self.now.messages, len(batch)) // 2), max(1, min(self.now.size, size) // 2)
        )
        self._accepted = 0

    def accepted(self) -> None:
        """Count a successful transaction; double the limits after `PATIENCE` of them."""
        self._accepted += 1
        if self._accepted >= PATIENCE and self.now != self._most:
            doubled = BatchLimits(*(2 * each for each in self.now))
            self.now = BatchLimits(
                min(self._most.messages, doubled.messages), min(self._most.size, doubled.size)
            )
            self._accepted = 0


# -- send batches proven by one header, with the client update they need in the first transaction


class BatchSender:
    """Sender of the transactions that one header of the reference chain proves."""

    def __init__(
        self, client: ForeignClient, metrics: Metrics, height: int, updates: list[AnyMessage]
    ) -> None:
        """Set the messages that update the client to header `height`; [] if the client has it already."""
        self.height = height
        self.updates = updates  # not sent yet
        self._client = client
        self._metrics = metrics

    def update_alone(self) -> None:
        """Update the client in separate transactions, so that its refusal is not attributed to packets."""
        self.updates = []
        update_client(self._client, self.height, self._metrics)

    def send(self, batch: Sequence[AnyMessage]) -> TxOutcome:
        """Send a transaction of the updates that were not sent yet and `batch`."""
        messages = [*self.updates, *batch]
        with self._metrics.part("submit"):
            outcome = send(self._client.host, messages)
        if outcome.code == 0:
            self._metrics.transactions += 1
            self._metrics.updates += len(self.updates)
            self._metrics.bytes_sent += sum(len(message.value) for message in messages)
            self.updates = []
        elif action_of(outcome) is not Action.HOLD:
            self._metrics.refused += 1
        return outcome


def update_client(client: ForeignClient, height: int, metrics: Metrics) -> None:
    """Update a client in separate transactions, and count them."""
    with metrics.part("update"):
        sent = client.update_to(height)
    metrics.updates += sent
    metrics.transactions += sent
