"""Two connected chains."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from conformance.kit.paired_chain import PairedChain
from conformance.kit.sides import A, B
from light_client.tendermint.states import load_client_state
from pyibc.core import paths
from pyibc.core.channel.types import Order
from pyibc.core.coin import Coin, coin
from pyibc.core.height import Height
from pyibc.relayer.chain.values import Proven
from pyibc.relayer.clients.driver import Drivers
from pyibc.relayer.clients.foreign_client import ForeignClient
from pyibc.relayer.clients.tendermint import ClientSettings, TendermintDriver
from pyibc.relayer.paths.open_path import make_path
from pyibc.relayer.paths.path import Path
from pyibc.testing.pair import SECOND, ManualClock

AHEAD_NS = 3 * SECOND
"""Lead of chain B's clock over chain A's, nanoseconds; within a light client's max clock drift."""


class Pair:
    """Chains `a` and `b`, each with a client of the other.

    Every identifier differs between the two: application ports, clients, connections, channels, coins,
    clocks. Code that confuses the ends finds nothing.
    """

    def __init__(self, a: PairedChain, b: PairedChain, clock: ManualClock) -> None:
        self.a = a
        self.b = b
        self.clock = clock

    @classmethod
    def connected(
        cls,
        chain_ids: tuple[str, str] = (A.chain_id, B.chain_id),
        coins: Sequence[Coin] = (),
        make_chain: Callable[..., PairedChain] = PairedChain,
        **options: Any,
    ) -> "Pair":
        """Return two new chains with clients, an open connection and an open transfer channel.

        Args:
            chain_ids: The chain ids.
            coins: Balances of the user account on each chain; by default 10^12 `ualpha` on A, `ubeta`
                on B.
            make_chain: Constructs a chain.
            **options: Passed to `make_chain`.
        """
        clock = ManualClock()
        held = [coins or [coin(denom, 10**12)] for denom in ("ualpha", "ubeta")]
        a = make_chain(chain_ids[0], clock, held[0], side=A, **options)
        b = make_chain(chain_ids[1], partial(ahead, clock), held[1], side=B, **options)
        pair = cls(a, b, clock)
        pair.transfer = pair.open("transfer", Order.UNORDERED, "ics20-1")
        pair.a.client_id, pair.b.client_id = pair.transfer.a.client_id, pair.transfer.b.client_id
        return pair

    transfer: Path

    @property
    def ports(self) -> tuple[str, str]:
        """The scripted application's ports on A and on B."""
        return self.a.port, self.b.port

    def open(
        self, port: str | tuple[str, str], order: Order, version: str, terms: ClientSettings | None = None
    ) -> Path:
        """Open a channel over the pair's connection; `port` is that of both ends, or (on A, on B)."""
        drivers = Drivers(TendermintDriver(terms))
        ends = self.a.relayer, self.b.relayer
        return make_path(*ends, port, order, version, drivers=drivers, new_channel=True)

    def other(self, side: PairedChain) -> PairedChain:
        """Return the counterparty chain."""
        return self.b if side is self.a else self.a

    def sync(self) -> None:
        """Make a block on each chain, then update both clients."""
        self.a.chain.make_block([])
        self.b.chain.make_block([])
        for side in (self.b, self.a):
            self.update(side)

    def update(self, side: PairedChain) -> None:
        """Update the client on `side` to the other chain's last header."""
        target = self.other(side)
        client = ForeignClient(side.relayer, target.relayer, side.client_id)
        client.update_to(target.chain.height)

    def known(self, side: PairedChain) -> Height:
        """Return the latest height of the other chain that the client on `side` knows."""
        raw = side.chain.get(paths.client_state_path(side.client_id))
        if raw is None:
            raise ValueError(f"{side.chain.chain_id} has no client {side.client_id!r}")
        return load_client_state(raw).latest_height

    def prove(self, prover: PairedChain, key: bytes) -> Proven:
        """Return a value in `prover`'s store, or its absence, proved at the other client's latest height."""
        height = self.known(self.other(prover)).revision_height
        return prover.chain.prove(key, height - 1)


def ahead(clock: ManualClock) -> int:
    """Return a clock that runs ahead of chain A's, for chain B."""
    return clock() + AHEAD_NS
