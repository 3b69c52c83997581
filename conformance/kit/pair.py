"""Two connected chains."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from conformance.kit.ends import A, B
from conformance.kit.paired_chain import PairedChain
from ibc_core import paths
from ibc_core.channel.types import Order
from ibc_core.coin import Coin, coin
from ibc_core.height import Height
from ibc_relayer.driver import Drivers
from ibc_relayer.endpoint import Proven
from ibc_relayer.foreign_client import ForeignClient
from ibc_relayer.open_path import make_path
from ibc_relayer.path import Path
from ibc_relayer.tendermint import ClientSettings, TendermintDriver
from ibc_testing.clock import SECOND, ManualClock
from light_client.tendermint.state_codec import load_client_state

AHEAD_NS = 3 * SECOND
"""How far the clock of chain B is ahead of chain A's: less than a light client lets pass."""


class Pair:
    """Chains `a` and `b`, each with a client of the other.

    Nothing is the same on both: ports of the scripted application, numbers of clients, connections and
    channels, coins, clocks. What takes the one end for the other finds nothing there.
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
        """Two new chains with clients, an open connection and an open transfer channel.

        Args:
            chain_ids: Their ids.
            coins: Balances of the user account on each chain; by default 10^12 `ualpha` on A, `ubeta` on B.
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
        """Opens a new channel over the pair's connection; `port` is that of both ends, or (on A, on B)."""
        drivers = Drivers(TendermintDriver(terms))
        ends = self.a.relayer, self.b.relayer
        return make_path(*ends, port, order, version, drivers=drivers, new_channel=True)

    def other(self, side: PairedChain) -> PairedChain:
        """The counterparty chain."""
        return self.b if side is self.a else self.a

    def sync(self) -> None:
        """Makes a block on each chain, then updates both clients."""
        self.a.chain.make_block([])
        self.b.chain.make_block([])
        for side in (self.b, self.a):
            self.update(side)

    def update(self, side: PairedChain) -> None:
        """Updates the client on `side` to the other chain's last header."""
        target = self.other(side)
        client = ForeignClient(side.relayer, target.relayer, side.client_id)
        client.update_to(target.chain.height)

    def known(self, side: PairedChain) -> Height:
        """The latest height of the other chain that the client on `side` knows."""
        raw = side.chain.get(paths.client_state_path(side.client_id))
        if raw is None:
            raise ValueError(f"{side.chain.chain_id} has no client {side.client_id!r}")
        return load_client_state(raw).latest_height

    def prove(self, prover: PairedChain, key: bytes) -> Proven:
        """A value in `prover`'s store, or its absence, proved at the latest height the other chain knows."""
        height = self.known(self.other(prover)).revision_height
        return prover.chain.prove(key, height - 1)


def ahead(clock: ManualClock) -> int:
    """The time of chain B's next block: its clock is ahead of chain A's."""
    return clock() + AHEAD_NS
