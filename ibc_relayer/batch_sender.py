"""Sends batches that are all proven by one header; the client update they need goes in front of the first."""

from collections.abc import Sequence

from ibc_core.any_message import AnyMessage
from ibc_core.host.block import TxOutcome
from ibc_relayer.foreign_client import ForeignClient
from ibc_relayer.metrics import Metrics
from ibc_relayer.outcomes import Action, action_of
from ibc_relayer.submission import send


class BatchSender:
    """The transactions under one header of the client's reference chain."""

    def __init__(
        self, client: ForeignClient, metrics: Metrics, height: int, updates: list[AnyMessage]
    ) -> None:
        """`updates` bring the client to header `height`; [] where it holds it already."""
        self.height = height
        self.updates = updates  # not sent yet
        self._client = client
        self._metrics = metrics

    def update_alone(self) -> None:
        """Updates the client in transactions of their own, so that its refusal is not blamed on packets."""
        self.updates = []
        update_client(self._client, self.height, self._metrics)

    def send(self, batch: Sequence[AnyMessage]) -> TxOutcome:
        """Sends one transaction: the updates that are not sent yet, then `batch`."""
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
    """Updates a client in transactions of their own, and counts them."""
    with metrics.part("update"):
        sent = client.update_to(height)
    metrics.updates += sent
    metrics.transactions += sent
