"""Transfers by the demo's users, for any protocol."""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import NamedTuple, Protocol

from localnet.demo.chains import DemoChain
from localnet.demo.report import OnProgress
from pyibc.codec.anys import AnyMessage
from pyibc.core.height import Height
from pyibc.relayer.links.link import Link
from pyibc.relayer.money.wallet import Wallet
from pyibc.relayer.queue.link import QueueLink

FAR_BLOCKS = 1_000_000
"""Timeout, in blocks, of packets that are meant to arrive."""
PER_TX = 10
"""Number of transfers in one transaction."""
RETURNED_AMOUNT = 500
"""Amount of each transfer that returns vouchers."""


class SentTransfer(NamedTuple):
    """A transfer requested by a user."""

    denom: str  # on the sending chain
    amount: int
    receiver: str
    timeout: Height
    memo: str = ""


class DemoEnd(Protocol):
    """One end of a path: a chain, the means to send, and the counterparty chain."""

    @property
    def chain(self) -> DemoChain:
        """The sending chain."""

    @property
    def counterparty(self) -> DemoChain:
        """The receiving chain."""

    def message(self, user: Wallet, transfer: SentTransfer) -> AnyMessage:
        """Return the message of a transfer."""

    def foreign_voucher(self) -> str:
        """Return the denomination of the counterparty's native coins on this chain."""


def timeout_after(end: DemoEnd, blocks: int) -> Height:
    """Return a timeout height so many blocks ahead of the counterparty's current height."""
    return Height(end.counterparty.chain.revision, end.counterparty.chain.height + blocks)


def send(end: DemoEnd, orders: Iterable[tuple[Wallet, Sequence[SentTransfer]]]) -> None:
    """Send one signed transaction per user, all in one block."""
    end.chain.send(
        (user, [end.message(user, transfer) for transfer in transfers]) for user, transfers in orders
    )


def send_native(end: DemoEnd, number: int, first: int) -> int:
    """Send native coins: one transaction per user with at most ten transfers, all in one block.

    Returns the number of transfers: `number`, or as many as the users can make in a block.
    """
    number = min(number, PER_TX * len(end.chain.users))
    each = -(-number // len(end.chain.users))
    count = iter(range(first, first + number))
    orders = []
    for index, user in enumerate(end.chain.users):
        receiver = end.counterparty.users[index].address.text
        batch = [
            SentTransfer(
                end.chain.denom, 1000 + 7 * n, receiver, timeout_after(end, FAR_BLOCKS), f"transfer {n}"
            )
            for n in islice(count, each)
        ]
        if batch:
            orders.append((user, batch))
    send(end, orders)
    return number


def send_and_relay(link: Link | QueueLink, ends: Sequence[DemoEnd], total: int, tick: OnProgress) -> None:
    """Send `total` transfers, alternating over all ends, while the relayer works."""
    sent, turn, share = 0, 0, -(-total // len(ends))
    while sent < total:
        sent += send_native(ends[turn % len(ends)], min(total - sent, share), sent)
        turn += 1
        tick(sent)
        if turn % len(ends) == 0:
            link.round()
    link.until_idle()


def return_vouchers(end: DemoEnd, number: int) -> int:
    """Send vouchers back to their origin; return the number of transfers, at most `number`."""
    denom, users = end.foreign_voucher(), end.chain.users
    held = [end.chain.balance(user.address.raw, denom) for user in users]
    orders = []
    for n in range(number):
        index = n % len(users)
        if held[index] < RETURNED_AMOUNT * (n // len(users) + 1):
            continue
        receiver = end.counterparty.users[index].address.text
        orders.append(
            (
                users[index],
                [SentTransfer(denom, RETURNED_AMOUNT, receiver, timeout_after(end, FAR_BLOCKS), "home")],
            )
        )
    send(end, orders)
    return len(orders)


def send_to_invalid_address(end: DemoEnd) -> None:
    """Send to an invalid address, which results in an error acknowledgement and a refund."""
    order = SentTransfer(end.chain.denom, 4242, "not-an-address", timeout_after(end, FAR_BLOCKS), "to nobody")
    send(end, [(end.chain.users[0], [order])])


def send_expiring(end: DemoEnd, number: int) -> None:
    """Send transfers that time out: they are not relayed before the counterparty passes their timeout."""
    timeout = timeout_after(end, 2)
    receiver = end.counterparty.users[0].address.text
    orders = [SentTransfer(end.chain.denom, 900 + n, receiver, timeout, "too late") for n in range(number)]
    send(end, [(end.chain.users[0], orders)])
    for _ in range(3):
        end.counterparty.chain.make_block()


def send_unrelayed(end: DemoEnd) -> None:
    """Send a transfer that is not relayed."""
    receiver = end.counterparty.users[1].address.text
    order = SentTransfer(end.chain.denom, 77_777, receiver, timeout_after(end, FAR_BLOCKS), "still under way")
    send(end, [(end.chain.users[1], [order])])
