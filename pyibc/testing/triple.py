"""Three chains with users, on one clock, for routes over two hops."""

from collections.abc import Sequence
from typing import NamedTuple

from pyibc.apps.transfer.packet_data import PORT_ID, VERSION
from pyibc.core.channel.types import Order
from pyibc.core.coin import coin
from pyibc.relayer.links.link import Link
from pyibc.relayer.paths.open_path import make_path
from pyibc.relayer.paths.path import Path
from pyibc.testing.faults import without_waiting
from pyibc.testing.ledger import ChannelView, broken_laws, channel_view
from pyibc.testing.pair import SHIFTED, THIRD, ManualClock, Numbers, Party, Plugins, ibc_plugins, make_parties

CHAIN_IDS = ("alpha-1", "beta-1", "gamma-1")
NATIVE = ("ualpha", "ubeta", "ugamma")
FEES = coin("stake", 10**12)


class _Opened(NamedTuple):
    """A transfer channel, and the chains of its ends."""

    path: Path
    a: Party
    b: Party


class ThreeChains:
    """Three parties with a common clock, and the transfer channels between them."""

    def __init__(self, a: Party, b: Party, c: Party, clock: ManualClock) -> None:
        self.a = a
        self.b = b
        self.c = c
        self.clock = clock
        self._opened: list[_Opened] = []

    @property
    def parties(self) -> tuple[Party, Party, Party]:
        """The three parties."""
        return self.a, self.b, self.c

    def open(self, a: Party, b: Party) -> Path:
        """Open a new transfer channel whose ends `a` and `b` are on these chains."""
        ends = a.endpoint, b.endpoint
        path = make_path(*ends, PORT_ID, Order.UNORDERED, VERSION, new_channel=True)
        self._opened.append(_Opened(path, a, b))
        return path

    def links(self) -> list[Link]:
        """Return a relayer for each pair of chains with channels."""
        found: dict[tuple[str, str], list[_Opened]] = {}
        for each in self._opened:
            found.setdefault((each.a.chain.chain_id, each.b.chain.chain_id), []).append(each)
        return [
            Link(
                [each.path for each in between],
                between[0].a.endpoint,
                between[0].b.endpoint,
                options=without_waiting(),
            )
            for between in found.values()
        ]

    def relay(self) -> None:
        """Relay until nothing is pending on any chain: packets of one link may cause packets on another."""
        links, before = self.links(), -1
        try:
            while before != (before := sum(party.chain.height for party in self.parties)):
                for link in links:
                    link.until_idle()
        finally:
            for link in links:
                link.close()

    def views(self) -> list[ChannelView]:
        """Return every channel, for `broken_laws`."""
        return [channel_view(path, a.chain, b.chain) for path, a, b in self._opened]

    def broken_laws(self) -> list[str]:
        """Describe the violated invariants of ICS-20; empty if all hold."""
        return broken_laws(self.views())

    def close(self) -> None:
        """Close all chains."""
        for party in self.parties:
            party.chain.close()


def three_chains(
    *,
    plugins: Plugins = ibc_plugins,
    users: Sequence[str] = ("alice", "bob"),
    amount: int = 10**12,
    clock: ManualClock | None = None,
) -> ThreeChains:
    """Create three chains in this process, with no identifier or coin in common except the fee coin.

    Args:
        plugins: Creates the plugins of each chain, in addition to accounts and bank.
        users: Names; each has `amount` of each chain's own coin there: `ualpha`, `ubeta`, `ugamma`.
        amount: Amount of each user's coins.
        clock: Common clock; None for one that always starts at the same time.
    """
    time = clock or ManualClock()
    a, b, c = make_parties(
        dict(zip(CHAIN_IDS, (Numbers(), SHIFTED, THIRD), strict=True)),
        plugins=plugins,
        users=users,
        funds={chain: (FEES, coin(name, amount)) for chain, name in zip(CHAIN_IDS, NATIVE, strict=True)},
        clock=time,
    )
    return ThreeChains(a, b, c, time)
