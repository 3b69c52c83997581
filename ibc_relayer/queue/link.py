"""Relays registered ends of queues between two chains [IBC-channels 3.7].

Nothing is remembered: heads and tails say what is waiting, so a relayer may be killed at any instant, and any
number may work side by side. A message that comes second is refused, which costs its fee and nothing else.
"""

from collections.abc import Sequence

from ibc_relayer.batch import Limits
from ibc_relayer.client import TendedClient
from ibc_relayer.endpoint import ChainEndpoint
from ibc_relayer.metrics import Metrics
from ibc_relayer.path import SIDES, Side, other
from ibc_relayer.queue.courier import Options, QueueCourier
from ibc_relayer.queue.path import QueuePath

__all__ = ["NAIVE", "Options", "QueueLink"]

DEFAULT_OPTIONS = Options()
NAIVE = Options(limits=Limits(1), items=1)
"""The naive algorithm of [IBC-channels 3.7]: a header once there is a packet, a transaction a packet."""


class QueueLink:
    """Ends of two chains, and their relayer."""

    def __init__(
        self,
        paths: Sequence[QueuePath],
        a: ChainEndpoint,
        b: ChainEndpoint,
        options: Options = DEFAULT_OPTIONS,
    ) -> None:
        """Checks the clients; nothing is sent before the first round.

        Args:
            paths: registered ends of `a` and `b`, over one client each way.
            a: the chain of the paths' ends `a`.
            b: the chain of the paths' ends `b`.
            options: limits, and the dial between cost and latency.

        Raises:
            ValueError: there are no paths, or they use several clients on a chain.
            WrongCounterparty: a client does not follow the other chain.
            ClientUnusable: a client is frozen or expired.
        """
        self.metrics = Metrics()
        self._paths = paths
        self._endpoints = (a, b)
        self._couriers = [self._courier(side, options) for side in SIDES]

    def round(self) -> bool:
        """Looks at both chains and brings each what is due; returns whether there may be more to do.

        Raises:
            EndpointUnavailable: a chain did not answer; another round may go on from here.
            TransactionFailed: a chain refuses a client update, or our account.
            ClientUnusable: a client is frozen or expired.
        """
        busy = [courier.serve() for courier in self._couriers]
        return any(busy)

    def until_idle(self, rounds: int = 10_000) -> Metrics:
        """Rounds until nothing waits but what was given up; waits for blocks in between.

        Raises:
            EndpointUnavailable, TransactionFailed, ClientUnusable: see `round`.
        """
        for _ in range(rounds):
            tips = [endpoint.tip().height for endpoint in self._endpoints]
            if not self.round():
                break
            for endpoint, tip in zip(self._endpoints, tips, strict=True):
                endpoint.wait(tip + 1)  # what was brought is proven by the header above it
        return self.metrics.copy()

    def close(self) -> None:
        """Nothing is held: heads and tails remember everything."""

    def _courier(self, side: Side, options: Options) -> QueueCourier:
        ids = {path[side].client_id for path in self._paths}
        if len(ids) != 1:
            raise ValueError(f"{len(ids)} clients for {len(self._paths)} paths, a link has one each way")
        client = TendedClient(self._endpoints[side], self._endpoints[other(side)], ids.pop())
        client.check()
        ends = [(path[side], path[other(side)]) for path in self._paths]
        return QueueCourier(client, ends, options, self.metrics)
