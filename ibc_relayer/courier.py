"""The courier: brings one round's work to one chain, in as few transactions as it takes.

All proofs of a round are at one height of the prover, so one client update serves them all; it rides in
front of the first transaction. A refused transaction is halved until the bad message stands alone; the
others go on (hermes#2993).
"""

from collections.abc import Iterator, Sequence

from ibc_core.any_message import AnyMessage
from ibc_core.host.block import TxOutcome
from ibc_relayer.batch import Limits, pack
from ibc_relayer.client import TendedClient
from ibc_relayer.datagram import Datagram, build
from ibc_relayer.effects import effects_of, took_effect
from ibc_relayer.metrics import Metrics
from ibc_relayer.submission import is_redundant, refusal, send
from ibc_relayer.work import Kind, Result, Verdict, Work


class Courier:
    """Brings messages to the host of a client, proven by the chain that the client tracks."""

    def __init__(self, client: TendedClient, limits: Limits, metrics: Metrics) -> None:
        """Nothing is sent before `deliver`."""
        self._client = client
        self._limits = limits
        self._metrics = metrics

    def deliver(self, works: Sequence[Work], tip: int) -> list[Result]:
        """Proves `works` at header `tip` of the prover, or at a later one the client holds, and sends them.

        Raises:
            EndpointUnavailable: a chain did not answer; what was sent shows in its blocks.
            TransactionFailed: the chain refuses to update the client, or the account cannot pay.
            ClientUnusable: the client is frozen.
        """
        with self._metrics.part("update"):
            height, updates = self._client.headers_to(tip)
        with self._metrics.part("prove"):
            self._client.target.wait(height)
            built = [self._build(work, height - 1) for work in works]
        results = [item for item in built if isinstance(item, Result)]
        datagrams = [item for item in built if isinstance(item, Datagram)]
        if datagrams:
            results += _Round(self._client, self._limits, self._metrics, height, updates).send(datagrams)
        return results

    def refresh(self, tip: int) -> None:
        """Brings the client to header `tip` for its own sake.

        Raises:
            TransactionFailed: the chain refuses the update.
            ClientUnusable: the client is frozen.
        """
        bring_to(self._client, tip, self._metrics)

    def _build(self, work: Work, height: int) -> Datagram | Result:
        return build(work, self._client.target, height, self._client.host.signer)


def bring_to(client: TendedClient, height: int, metrics: Metrics) -> None:
    """Updates a client by transactions of their own, and counts them."""
    with metrics.part("update"):
        sent = client.bring_to(height)
    metrics.updates += sent
    metrics.transactions += sent


class _Round:
    """The transactions of one round."""

    def __init__(
        self, client: TendedClient, limits: Limits, metrics: Metrics, height: int, updates: list[AnyMessage]
    ) -> None:
        self._client = client
        self._metrics = metrics
        self._height = height
        self._limits = limits
        self._update = updates  # to go in front of the next transaction
        self._stopped: set[tuple[int, Kind]] = set()  # ordered lanes in which a message has failed

    def send(self, datagrams: Sequence[Datagram]) -> Iterator[Result]:
        """Sends all, in order."""
        if len(self._update) > 1:
            self._update_alone()
        room = self._limits.size - sum(len(update.value) for update in self._update)
        for batch in pack(datagrams, Limits(self._limits.messages, max(1, room))):
            yield from self._send(batch)

    def _send(self, batch: Sequence[Datagram]) -> Iterator[Result]:
        behind = [datagram.work for datagram in batch if self._is_stopped(datagram.work)]
        yield from (Result(work, Verdict.SKIPPED) for work in behind)
        batch = [datagram for datagram in batch if not self._is_stopped(datagram.work)]
        if not batch:
            return
        outcome = self._submit(batch)
        if outcome.code == 0:
            yield from self._settle(batch, outcome)
        elif is_redundant(outcome):
            yield from (self._redundant(datagram.work) for datagram in batch)
        elif self._update:
            self._update_alone()  # so that the packets are not blamed for the update
            yield from self._send(batch)
        else:
            yield from self._halve(batch, outcome)

    def _halve(self, batch: Sequence[Datagram], outcome: TxOutcome) -> Iterator[Result]:
        if len(batch) > 1:
            middle = len(batch) // 2
            yield from self._send(batch[:middle])
            yield from self._send(batch[middle:])
            return
        work = batch[0].work
        if work.ordered:
            self._stopped.add(_lane(work))
        yield Result(work, Verdict.FAILED, f"{refusal(outcome)} {outcome.log}".strip())

    def _submit(self, batch: Sequence[Datagram]) -> TxOutcome:
        messages = [*self._update, *(datagram.message for datagram in batch)]
        with self._metrics.part("submit"):
            outcome = send(self._client.host, messages)
        if outcome.code == 0:
            self._metrics.transactions += 1
            self._metrics.updates += len(self._update)
            self._metrics.bytes_sent += sum(len(message.value) for message in messages)
            self._update = []
        else:
            self._metrics.refused += 1
        return outcome

    def _update_alone(self) -> None:
        self._update = []
        bring_to(self._client, self._height, self._metrics)

    def _settle(self, batch: Sequence[Datagram], outcome: TxOutcome) -> Iterator[Result]:
        effects = effects_of(outcome)
        for datagram in batch:
            if took_effect(datagram.work, effects):
                self._metrics.count(datagram.work.key.kind)
                yield Result(datagram.work, Verdict.EFFECTIVE)
            else:
                yield self._redundant(datagram.work)

    def _redundant(self, work: Work) -> Result:
        self._metrics.redundant += 1
        return Result(work, Verdict.RECEIVED if work.key.kind == Kind.RECV else Verdict.GONE)

    def _is_stopped(self, work: Work) -> bool:
        return _lane(work) in self._stopped


def _lane(work: Work) -> tuple[int, Kind]:
    return work.key.channel, work.key.kind
