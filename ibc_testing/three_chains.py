"""Three chains with users, on one clock: what goes from one over another to the third."""

from collections.abc import Sequence
from typing import NamedTuple

from ibc_core.channel.types import Order
from ibc_core.coin import coin
from ibc_module.apps.transfer.state import PORT_ID, VERSION
from ibc_relayer.link import Link
from ibc_relayer.open_path import make_path
from ibc_relayer.path import Path
from ibc_testing.clock import ManualClock
from ibc_testing.ledger import ChannelView, broken_laws, channel_view
from ibc_testing.numbers import SHIFTED, THIRD, Numbers
from ibc_testing.two_chains import Party, Plugins, ibc_plugins, make_parties

CHAIN_IDS = ("alpha-1", "beta-1", "gamma-1")
NATIVE = ("ualpha", "ubeta", "ugamma")
FEES = coin("stake", 10**12)


class _Opened(NamedTuple):
    """A transfer channel, and the chains of its ends."""

    path: Path
    a: Party
    b: Party


class ThreeChains:
    """Three parties, the time they share, and the transfer channels between them."""

    def __init__(self, a: Party, b: Party, c: Party, clock: ManualClock) -> None:
        self.a = a
        self.b = b
        self.c = c
        self.clock = clock
        self._opened: list[_Opened] = []

    @property
    def parties(self) -> tuple[Party, Party, Party]:
        """All of them."""
        return self.a, self.b, self.c

    def open(self, a: Party, b: Party) -> Path:
        """A new transfer channel, whose ends `a` and `b` are those of these chains."""
        ends = a.endpoint, b.endpoint
        path = make_path(*ends, PORT_ID, Order.UNORDERED, VERSION, new_channel=True)
        self._opened.append(_Opened(path, a, b))
        return path

    def links(self) -> list[Link]:
        """A relayer of each two chains that have channels."""
        found: dict[tuple[str, str], list[_Opened]] = {}
        for each in self._opened:
            found.setdefault((each.a.chain.chain_id, each.b.chain.chain_id), []).append(each)
        return [
            Link([each.path for each in between], between[0].a.endpoint, between[0].b.endpoint)
            for between in found.values()
        ]

    def relay(self) -> None:
        """Relays until nothing is pending anywhere: what one link brings may be the next one's work."""
        links, before = self.links(), -1
        try:
            while before != (before := sum(party.chain.height for party in self.parties)):
                for link in links:
                    link.until_idle()
        finally:
            for link in links:
                link.close()

    def views(self) -> list[ChannelView]:
        """Every channel, for `broken_laws`."""
        return [channel_view(path, a.chain, b.chain) for path, a, b in self._opened]

    def broken_laws(self) -> list[str]:
        """What does not hold of ICS-20's laws; empty while they do."""
        return broken_laws(self.views())

    def close(self) -> None:
        """Lets go of all chains."""
        for party in self.parties:
            party.chain.close()


def three_chains(
    *,
    plugins: Plugins = ibc_plugins,
    users: Sequence[str] = ("alice", "bob"),
    amount: int = 10**12,
    clock: ManualClock | None = None,
) -> ThreeChains:
    """Three chains in this process, with no identifier and no coin in common but the one for fees.

    Args:
        plugins: Makes the plugins of each chain, beside accounts and coins.
        users: Names; each has `amount` of each chain's own coin there: `ualpha`, `ubeta`, `ugamma`.
        amount: See `users`.
        clock: The time they share; None: one that starts at the same time always.
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
