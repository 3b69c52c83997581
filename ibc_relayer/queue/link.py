"""Relays registered queue ends between two chains [IBC-channels 3.7].

Nothing is remembered: heads and tails show what is pending, so a relayer may be killed at any instant, and
any number may serve the same ends. A message that comes second is refused, which costs its fee alone.
"""

from collections.abc import Sequence

from ibc_core.queue.packet import Registration
from ibc_relayer.batch import Limits
from ibc_relayer.driver import Drivers
from ibc_relayer.endpoint import ChainEndpoint
from ibc_relayer.foreign_client import ForeignClient
from ibc_relayer.metrics import Metrics
from ibc_relayer.path import SIDES, Side, other
from ibc_relayer.queue.path import QueuePath
from ibc_relayer.queue.submitter import Options, QueueSubmitter
from ibc_relayer.tendermint import DRIVERS
from ibc_relayer.waiting import Waiting

__all__ = ["NAIVE", "Options", "QueueLink"]

DEFAULT_OPTIONS = Options()
NAIVE = Options(limits=Limits(1), items=1)
"""The naive algorithm of [IBC-channels 3.7]: an update once there is a packet, a transaction per packet."""


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
        self._submitters = [self._submitter(side, options, drivers) for side in SIDES]

    def round(self) -> bool:
        """Submits to each chain what is due, and waits for the blocks that prove it.

        Returns:
            Whether there may be more to do.

        Raises:
            EndpointUnavailable: a chain did not answer; another round may continue.
            TransactionFailed: a chain refuses a client update, or the account cannot pay.
            ClientUnusable: a client is frozen or expired.
        """
        tips = [endpoint.tip().height for endpoint in self._endpoints]
        busy = [submitter.submit_pending() for submitter in self._submitters]
        if any(busy):
            for endpoint, tip in zip(self._endpoints, tips, strict=True):
                endpoint.wait(tip + 1)
        return any(busy)

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
            for ends, number in zip(self._ends(side), self._submitters[side].arriving, strict=True)
        ]

    def troubles(self) -> list[str]:
        """None: a failure in one direction ends the round."""
        return []

    def close(self) -> None:
        """Nothing to close: the chains' heads and tails are the only state."""

    def _submitter(self, side: Side, options: Options, drivers: Drivers) -> QueueSubmitter:
        ids = {path[side].client_id for path in self._paths}
        if len(ids) != 1:
            raise ValueError(f"{len(ids)} clients for {len(self._paths)} paths, a link has one each way")
        client = ForeignClient(self._endpoints[side], self._endpoints[other(side)], ids.pop(), drivers)
        client.check()
        return QueueSubmitter(client, self._ends(side), options, self.metrics)

    def _ends(self, side: Side) -> list[tuple[Registration, Registration]]:
        """The registrations of every path: that on a side's chain, and the other chain's."""
        return [(path[side], path[other(side)]) for path in self._paths]
