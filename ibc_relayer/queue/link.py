"""Relays registered queue ends between two chains [IBC-channels 3.7].

Nothing is remembered: heads and tails show what is pending, so a relayer may be killed at any instant, and
any number may serve the same ends. A message that comes second is refused, which costs its fee alone.
"""

from collections.abc import Sequence
from concurrent.futures import Future

from ibc_core.queue.packet import Registration
from ibc_relayer.batch import Limits
from ibc_relayer.driver import Drivers
from ibc_relayer.endpoint import ChainEndpoint
from ibc_relayer.errors import RelayerError
from ibc_relayer.foreign_client import ForeignClient
from ibc_relayer.metrics import Metrics
from ibc_relayer.path import SIDES, Side, other
from ibc_relayer.queue.path import QueuePath
from ibc_relayer.queue.submitter import Options, QueueSubmitter
from ibc_relayer.task import Result
from ibc_relayer.tendermint import DRIVERS
from ibc_relayer.waiting import Waiting

__all__ = ["NAIVE", "Options", "QueueLink"]

DEFAULT_OPTIONS = Options()
NAIVE = Options(limits=Limits(1), items=1)
"""The naive algorithm of [IBC-channels 3.7]: an update once there is a packet, a transaction per packet."""


class _Way:
    """One direction: to the host of a submitter."""

    def __init__(self, submitter: QueueSubmitter) -> None:
        self.submitter = submitter
        self.metrics = submitter.metrics  # its own: it may run beside the other direction
        self.future: Future[list[Result]] | None = None
        self.looked_at: tuple[int, int] | None = None  # both chains' heights: nothing is new until the next
        self.busy = False

    def look(self) -> list[Result]:
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
        """Checks the clients; nothing is sent before the first round.

        Args:
            paths: registered ends of `a` and `b`, over one client each way.
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
        self._lanes = options.lanes
        self._ways = [_Way(self._submitter(side, options, drivers)) for side in SIDES]

    def round(self) -> bool:
        """Submits to each chain what is due, and waits for the blocks that prove it.

        Where directions run beside each other, one that fails or waits for its block holds up nothing of the
        other: it is what `troubles` tells.

        Returns:
            Whether there may be more to do.

        Raises:
            EndpointUnavailable: a chain did not answer; another round may continue.
            TransactionFailed: a chain refuses a client update, or the account cannot pay.
            ClientUnusable: a client is frozen or expired.
        """
        tips = self._endpoints[0].tip().height, self._endpoints[1].tip().height
        for side in SIDES:
            way = self._ways[side]
            if way.future is None and way.looked_at != tips and not self._lanes.rests(side):
                way.looked_at = tips
                way.future = self._lanes.launch(way.look)
        under_way = [way.future for way in self._ways if way.future is not None]
        if under_way:
            self._lanes.wait(under_way)
        self._settle()
        if any(way.future is not None for way in self._ways):
            return True
        busy = any(way.busy for way in self._ways)
        if busy:
            for endpoint, tip in zip(self._endpoints, tips, strict=True):
                self._lanes.wait_for(endpoint, tip + 1)
        return busy

    def _settle(self) -> None:
        """Takes the results of what has ended.

        Raises:
            BaseException: one has failed, and the lanes leave that to the caller; both have been settled.
        """
        failure: BaseException | None = None
        for side in SIDES:
            way = self._ways[side]
            if way.future is None or not way.future.done():
                continue
            future, way.future = way.future, None
            self.metrics.absorb(way.metrics)
            self.metrics.given_up.update(way.metrics.given_up)
            error = future.exception()
            if error is None:
                self._lanes.succeeded(side)
                continue
            way.busy, way.looked_at = False, None
            chain_id = self._endpoints[side].chain_id
            if not isinstance(error, RelayerError) or not self._lanes.failed(side, chain_id, error):
                failure = failure or error
        if failure is not None:
            raise failure

    def until_idle(self, rounds: int = 10_000) -> Metrics:
        """Runs rounds until nothing is pending but what was given up.

        Raises:
            EndpointUnavailable, TransactionFailed, ClientUnusable: see `round`.
        """
        for _ in range(rounds):
            if not self.round():
                break
        return self.metrics.copy()

    def waiting(self) -> list[Waiting]:
        """What each chain had still to receive when it was looked at last."""
        return [
            Waiting(ends[1].local.chain, ends[0].local.chain, ends[1].local.text, number, 0)
            for side in SIDES
            for ends, number in zip(self._ends(side), self._ways[side].submitter.arriving, strict=True)
        ]

    def troubles(self) -> list[str]:
        """Why directions rest, as their lanes say."""
        return self._lanes.troubles()

    def close(self) -> None:
        """Waits for what is under way; the chains' heads and tails are the only state."""
        self._lanes.close()

    def _submitter(self, side: Side, options: Options, drivers: Drivers) -> QueueSubmitter:
        ids = {path[side].client_id for path in self._paths}
        if len(ids) != 1:
            raise ValueError(f"{len(ids)} clients for {len(self._paths)} paths, a link has one each way")
        client = ForeignClient(self._endpoints[side], self._endpoints[other(side)], ids.pop(), drivers)
        client.check(is_chosen=True)
        return QueueSubmitter(client, self._ends(side), options, Metrics())

    def _ends(self, side: Side) -> list[tuple[Registration, Registration]]:
        """The registrations of every path: that on a side's chain, and the other chain's."""
        return [(path[side], path[other(side)]) for path in self._paths]
