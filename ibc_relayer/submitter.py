"""Submits a round's tasks to one chain, in as few transactions as possible.

All proofs of a round are made at one height, so a single client update serves them all. A refused batch is
split in half until the message at fault stands alone; the others go through (hermes#2993).
"""

from collections.abc import Iterator, Sequence, Set

from ibc_core.any_message import AnyMessage
from ibc_core.host.block import TxOutcome
from ibc_core.packet.event_reader import ACKNOWLEDGE_PACKET, RECV_PACKET, TIMEOUT_PACKET
from ibc_relayer.batch import Limits, pack
from ibc_relayer.batch_sender import BatchSender, update_client
from ibc_relayer.datagram import Datagram, build
from ibc_relayer.foreign_client import ForeignClient
from ibc_relayer.metrics import Metrics
from ibc_relayer.packets import EventKey, event_keys, name_on_a
from ibc_relayer.submission import is_redundant, refusal
from ibc_relayer.task import Kind, Result, Task, Verdict


class Submitter:
    """Submits messages to the host of a client, with proofs of the client's reference chain."""

    def __init__(self, client: ForeignClient, limits: Limits, metrics: Metrics) -> None:
        """Nothing is sent before `submit`."""
        self._client = client
        self._limits = limits
        self._metrics = metrics

    def submit(self, tasks: Sequence[Task], tip: int) -> list[Result]:
        """Proves `tasks` by header `tip` of the prover, or a later one that the client has, and submits them.

        Raises:
            EndpointUnavailable: a chain did not answer; what was sent shows in its blocks.
            TransactionFailed: the chain refuses to update the client, or the account cannot pay.
            ClientUnusable: the client is frozen.
        """
        with self._metrics.part("update"):
            height, updates = self._client.build_updates(tip)
        return self._submit(tasks, height, updates)

    def submit_at(self, tasks: Sequence[Task], height: int) -> list[Result]:
        """Proves `tasks` by header `height`, which the client has, and submits them. Raises as `submit`."""
        return self._submit(tasks, height, [])

    def _submit(self, tasks: Sequence[Task], height: int, updates: list[AnyMessage]) -> list[Result]:
        with self._metrics.part("prove"):
            self._client.reference.wait(height)
            built = [
                build(task, self._client.reference, height - 1, self._client.host.signer) for task in tasks
            ]
        results = [item for item in built if isinstance(item, Result)]
        datagrams = [item for item in built if isinstance(item, Datagram)]
        if datagrams:
            sender = BatchSender(self._client, self._metrics, height, updates)
            results += _Round(sender, self._limits, self._metrics).send(datagrams)
        return results

    def refresh(self, tip: int) -> None:
        """Updates the client to header `tip` to keep it alive.

        Raises:
            TransactionFailed: the chain refuses the update.
            ClientUnusable: the client is frozen.
        """
        update_client(self._client, tip, self._metrics)


class _Round:
    """The batches of one round."""

    def __init__(self, sender: BatchSender, limits: Limits, metrics: Metrics) -> None:
        self._sender = sender
        self._metrics = metrics
        self._limits = limits
        self._blocked: set[tuple[int, Kind]] = set()  # ordered channels in which a message of the kind failed

    def send(self, datagrams: Sequence[Datagram]) -> Iterator[Result]:
        """Sends all, in order."""
        if len(self._sender.updates) > 1:
            self._sender.update_alone()
        room = self._limits.size - sum(len(update.value) for update in self._sender.updates)
        for batch in pack(datagrams, Limits(self._limits.messages, max(1, room))):
            yield from self._send(batch)

    def _send(self, batch: Sequence[Datagram]) -> Iterator[Result]:
        blocked = [datagram.task for datagram in batch if self._is_blocked(datagram.task)]
        yield from (Result(task, Verdict.SKIPPED) for task in blocked)
        batch = [datagram for datagram in batch if not self._is_blocked(datagram.task)]
        if not batch:
            return
        outcome = self._sender.send([datagram.message for datagram in batch])
        if outcome.code == 0:
            yield from self._settle(batch, outcome)
        elif is_redundant(outcome):
            yield from (self._redundant(datagram.task) for datagram in batch)
        elif self._sender.updates:
            self._sender.update_alone()
            yield from self._send(batch)
        else:
            yield from self._split(batch, outcome)

    def _split(self, batch: Sequence[Datagram], outcome: TxOutcome) -> Iterator[Result]:
        if len(batch) > 1:
            middle = len(batch) // 2
            yield from self._send(batch[:middle])
            yield from self._send(batch[middle:])
            return
        task = batch[0].task
        if task.ordered:
            self._blocked.add((task.key.channel, task.key.kind))
        yield Result(task, Verdict.FAILED, f"{refusal(outcome)} {outcome.log}".strip())

    def _settle(self, batch: Sequence[Datagram], outcome: TxOutcome) -> Iterator[Result]:
        effects = set(event_keys(outcome.events))
        for datagram in batch:
            if took_effect(datagram.task, effects):
                self._metrics.count(datagram.task.key.kind)
                yield Result(datagram.task, Verdict.EFFECTIVE)
            else:
                yield self._redundant(datagram.task)

    def _redundant(self, task: Task) -> Result:
        self._metrics.redundant += 1
        return Result(task, Verdict.RECEIVED if task.key.kind == Kind.RECV else Verdict.GONE)

    def _is_blocked(self, task: Task) -> bool:
        return (task.key.channel, task.key.kind) in self._blocked


_EVENT = {
    Kind.RECV: RECV_PACKET,
    Kind.ACKNOWLEDGE: ACKNOWLEDGE_PACKET,
    Kind.TIMEOUT: TIMEOUT_PACKET,
    Kind.TIMEOUT_ON_CLOSE: TIMEOUT_PACKET,
}


def took_effect(task: Task, effects: Set[EventKey]) -> bool:
    """Whether the message of `task` is among the `effects`, the packet events of its successful transaction.

    A message without a packet always takes effect, or fails.
    """
    packet = task.packet
    if packet is None:
        return True
    return (_EVENT[task.key.kind], name_on_a(packet), packet.sequence) in effects
