"""What the users of the demo do."""

from collections.abc import Callable
from itertools import islice
from typing import NamedTuple

from ibc_module.apps.transfer.denom import native, voucher
from ibc_module.core.height import Height
from ibc_module.relayer.link import Link
from ibc_module.relayer.path import Path, PathEnd
from localnet.demo.actors import DemoChain, Transfer

FAR = 1_000_000
"""Blocks until the timeout of a packet that is meant to arrive."""
PER_TX = 10
"""Transfers in one transaction."""

Tick = Callable[[int], None]
"""Told how many transfers were sent."""


class Side(NamedTuple):
    """One chain, its end of the path, and the chain at the other end."""

    chain: DemoChain
    end: PathEnd
    other: DemoChain
    other_end: PathEnd

    def far_away(self) -> Height:
        """A timeout that the other chain will not reach."""
        return Height(self.other.chain.revision, self.other.chain.height + FAR)

    def foreign_voucher(self) -> str:
        """What the other chain's coins are called here."""
        here = self.end
        return voucher(native(self.other.denom), here.port_id, here.channel_id).coin_denom


def sides(a: DemoChain, b: DemoChain, path: Path) -> tuple[Side, Side]:
    """Both chains of the path, each with the other one in view."""
    return Side(a, path.a, b, path.b), Side(b, path.b, a, path.a)


def there(side: Side, number: int, first: int) -> int:
    """`number` transfers of the chain's own coins, ten a transaction, a transaction a user, one block."""
    count = iter(range(first, first + number))
    orders = []
    for index, user in enumerate(side.chain.users):
        receiver = side.other.users[index].address.text
        batch = [
            Transfer(side.chain.denom, 1000 + 7 * n, receiver, side.far_away(), memo=f"transfer {n}")
            for n in islice(count, PER_TX)
        ]
        if batch:
            orders.append((user, batch))
    side.chain.send(side.end.channel_id, orders)
    return sum(len(batch) for _, batch in orders)


def rush(link: Link, both: tuple[Side, Side], total: int, tick: Tick) -> None:
    """`total` transfers both ways, while the relayer works."""
    sent, turn = 0, 0
    while sent < total:
        side = both[turn % 2]
        sent += there(side, min(total - sent, PER_TX * len(side.chain.users)), sent)
        turn += 1
        tick(sent)
        if turn % 2 == 0:
            link.round()
    link.until_idle()


def homewards(side: Side, number: int) -> None:
    """Vouchers that came over the channel go home."""
    denom = side.foreign_voucher()
    orders = []
    for n in range(number):
        index = n % len(side.chain.users)
        receiver = side.other.users[index].address.text
        orders.append(
            (side.chain.users[index], [Transfer(denom, 500, receiver, side.far_away(), memo="home")])
        )
    side.chain.send(side.end.channel_id, orders)


def to_nobody(side: Side) -> None:
    """A transfer to an address that is none: an error acknowledgement brings it back."""
    order = Transfer(side.chain.denom, 4242, "not-an-address", side.far_away(), memo="to nobody")
    side.chain.send(side.end.channel_id, [(side.chain.users[0], [order])])


def too_late(side: Side, number: int) -> None:
    """Transfers that time out, since nobody relays until the other chain is past their timeout."""
    timeout = Height(side.other.chain.revision, side.other.chain.height + 2)
    receiver = side.other.users[0].address.text
    orders = [Transfer(side.chain.denom, 900 + n, receiver, timeout, memo="too late") for n in range(number)]
    side.chain.send(side.end.channel_id, [(side.chain.users[0], orders)])
    for _ in range(3):
        side.other.chain.make_block()


def left_in_flight(side: Side) -> None:
    """A transfer that nobody relays."""
    receiver = side.other.users[1].address.text
    order = Transfer(side.chain.denom, 77_777, receiver, side.far_away(), memo="still under way")
    side.chain.send(side.end.channel_id, [(side.chain.users[1], [order])])
