"""Relay of registered queue ends between two chains [IBC-channels 3.7].

Nothing is stored: heads and tails show the pending packets, so a relayer may be killed at any instant, and
any number of relayers may serve the same ends. A message that another relayer sent first is refused and costs
its fee alone.
"""

from collections.abc import Sequence
from concurrent.futures import Future

from pyibc.queues.packet import Registration
from pyibc.relayer.chain.endpoint import ChainEndpoint
from pyibc.relayer.clients.driver import Drivers
from pyibc.relayer.clients.foreign_client import ForeignClient
from pyibc.relayer.clients.tendermint import DRIVERS
from pyibc.relayer.errors import RelayerError
from pyibc.relayer.links.batch import BatchLimits
from pyibc.relayer.metrics import ClientExpiry, Metrics
from pyibc.relayer.packets.backlog import PendingCount
from pyibc.relayer.packets.task import Result
from pyibc.relayer.paths.path import SIDES, Side, other
from pyibc.relayer.queue.path import QueuePath
from pyibc.relayer.queue.submitter import Options, QueueSubmitter

__all__ = ["NAIVE", "Options", "QueueLink"]

DEFAULT_OPTIONS = Options()
NAIVE = Options(limits=BatchLimits(1), items=1)
"""Naive algorithm of [IBC-channels 3.7]: a client update for each packet, and a transaction per packet."""


class _Direction:
    """Direction to the host of a submitter."""

    def __init__(self, submitter: QueueSubmitter) -> None:
        self.submitter = submitter
        self.metrics = submitter.metrics  # separate, since it may run concurrently with the other direction
        self.future: Future[list[Result]] | None = None
        self.checked_at: tuple[int, int] | None = None  # both chains' heights; nothing is new until the next
        self.busy = False

    def check(self) -> list[Result]:
        self.busy = self.submitter.submit_pending()
        return []


class QueueLink:
    """Relays registered queue ends of two chains."""

    def __init__(
        self,
        paths: Sequence[QueuePath],
        a: ChainEndpoint,
        b: ChainEndpoint,
        options: Options = DEFAULT_OPTIONS,
        drivers: Drivers = DRIVERS,
    ) -> None:
        """Check the clients; send nothing before the first round.

        Args:
            paths: registered ends on `a` and `b`, over one client on each chain.
            a: the chain of the paths' ends `a`.
            b: the chain of the paths' ends `b`.
            options: limits and the batch policy.
            drivers: the supported client types.

        Raises:
            ValueError: there are no paths, or they use several clients on a chain.
            WrongCounterparty: a client does not track the other chain.
            ClientUnusable: a client is frozen or expired.
        """
        self.metrics = Metrics()
        self._paths = paths
        self._endpoints = (a, b)
        self._runner = options.runner
        self._sleep, self._retry_wait_s = options.sleep, options.retry_wait_s
        self._directions = [_Direction(self._submitter(side, options, drivers)) for side in SIDES]
        self.metrics.expiries = self._expiries()

    def round(self) -> bool:
        """Submit to each chain the messages that are due, and wait for the blocks that prove them.

        If the directions run concurrently, an error or a wait in one does not delay the other; `problems`
        returns the error.

        Returns:
            Whether there may be more to do.

        Raises:
            EndpointUnavailable: a chain did not answer; a later round may succeed.
            TransactionFailed: a chain refuses a client update, or the account cannot pay.
            ClientUnusable: a client is frozen or expired.
        """
        tips = self._endpoints[0].tip().height, self._endpoints[1].tip().height
        for side in SIDES:
            direction = self._directions[side]
            is_free = direction.future is None and not self._runner.is_paused(side)
            if is_free and direction.checked_at != tips:
                direction.checked_at = tips
                direction.future = self._runner.launch(direction.check)
        futures = [each.future for each in self._directions if each.future is not None]
        if futures:
            self._runner.wait(futures)
        self._collect()
        if any(each.future is not None for each in self._directions):
            return True
        busy = any(each.busy for each in self._directions)
        if busy:
            for endpoint, tip in zip(self._endpoints, tips, strict=True):
                self._runner.wait_for(endpoint, tip + 1)
        return busy

    def _collect(self) -> None:
        """Apply the results of the submissions that have finished.

        Raises:
            BaseException: a submission failed, and the runner leaves the error to the caller; raised after
                both results are applied.
        """
        failure: BaseException | None = None
        for side in SIDES:
            direction = self._directions[side]
            if direction.future is None or not direction.future.done():
                continue
            future, direction.future = direction.future, None
            self.metrics.absorb(direction.metrics)
            self.metrics.given_up = {
                k: v for each in self._directions for k, v in each.metrics.given_up.items()
            }
            self.metrics.given_up_s = max(each.metrics.given_up_s for each in self._directions)
            self.metrics.expiries = self._expiries()
            error = future.exception()
            if error is None:
                self._runner.succeeded(side)
                continue
            direction.busy, direction.checked_at = False, None
            chain_id = self._endpoints[side].chain_id
            if not isinstance(error, RelayerError) or not self._runner.failed(side, chain_id, error):
                failure = failure or error
        if failure is not None:
            raise failure

    def until_idle(self, rounds: int = 10_000) -> Metrics:
        """Run rounds until nothing is pending except packets that were given up.

        Raises:
            EndpointUnavailable, TransactionFailed, ClientUnusable: see `round`.
        """
        for _ in range(rounds):
            if self.round():
                continue
            waits = [
                found for each in self._directions if (found := each.submitter.next_retry_s()) is not None
            ]
            if not waits or min(waits) > self._retry_wait_s:
                break
            self._sleep(min(waits))
            for direction in self._directions:
                direction.checked_at = None
        return self.metrics.copy()

    def pending_counts(self) -> list[PendingCount]:
        """Return the packets that each chain had still to receive when it was queried last."""
        return [
            PendingCount(ends[1].local.chain, ends[0].local.chain, ends[1].local.text, number, 0)
            for side in SIDES
            for ends, number in zip(self._ends(side), self._directions[side].submitter.arriving, strict=True)
        ]

    def rest(self) -> None:
        """Return None: no events tell of packets in queues, so both chains are queried at intervals."""

    def problems(self) -> list[str]:
        """Return the errors that pause directions."""
        return self._runner.problems()

    def close(self) -> None:
        """Wait for the submissions in flight."""
        self._runner.close()

    def _submitter(self, side: Side, options: Options, drivers: Drivers) -> QueueSubmitter:
        ids = {path[side].client_id for path in self._paths}
        if len(ids) != 1:
            raise ValueError(f"{len(ids)} clients for {len(self._paths)} paths; a link has one on each chain")
        client = ForeignClient(self._endpoints[side], self._endpoints[other(side)], ids.pop(), drivers)
        client.check(is_chosen=True)
        return QueueSubmitter(client, self._ends(side), options, Metrics())

    def _expiries(self) -> tuple[ClientExpiry, ...]:
        return tuple(one for each in self._directions for one in each.metrics.expiries)

    def _ends(self, side: Side) -> list[tuple[Registration, Registration]]:
        """Return the registrations of every path: on the side's chain, and on the other chain."""
        return [(path[side], path[other(side)]) for path in self._paths]
