"""Transfers by the demo's users, for any protocol."""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import NamedTuple, Protocol

from ibc_core.any_message import AnyMessage
from ibc_core.height import Height
from ibc_relayer.metrics import Metrics
from ibc_relayer.wallet import Wallet
from localnet.demo.chains import DemoChain
from localnet.demo.report import OnProgress

FAR_BLOCKS = 1_000_000
"""Timeout, in blocks, of packets that are meant to arrive."""
PER_TX = 10
"""Transfers in one transaction."""
RETURNED_AMOUNT = 500
"""Amount of each transfer that returns vouchers."""


class Transfer(NamedTuple):
    """A transfer requested by a user."""

    denom: str  # on the sending chain
    amount: int
    receiver: str
    timeout: Height
    memo: str = ""


class Side(Protocol):
    """One end of a path: a chain, the means to send, and the counterparty chain."""

    @property
    def chain(self) -> DemoChain:
        """The sending chain."""

    @property
    def other(self) -> DemoChain:
        """The receiving chain."""

    def message(self, user: Wallet, transfer: Transfer) -> AnyMessage:
        """The message that makes a transfer."""

    def foreign_voucher(self) -> str:
        """The denomination of the counterparty's native coins on this chain."""


class Relayer(Protocol):
    """Relays pending packets, acknowledgements and timeouts."""

    def round(self) -> bool:
        """Relays once in both directions; returns whether there was anything to do."""

    def until_idle(self) -> Metrics:
        """Relays until nothing is pending."""


def timeout_after(side: Side, blocks: int) -> Height:
    """A timeout height so many blocks ahead of the counterparty's current height."""
    return Height(side.other.chain.revision, side.other.chain.height + blocks)


def send(side: Side, orders: Iterable[tuple[Wallet, Sequence[Transfer]]]) -> None:
    """Sends one signed transaction per user, all in one block."""
    side.chain.send(
        (user, [side.message(user, transfer) for transfer in transfers]) for user, transfers in orders
    )


def send_native(side: Side, number: int, first: int) -> int:
    """Sends native coins: one transaction per user with at most ten transfers, all in one block.

    Returns the number of transfers: `number`, or as many as the users can make in a block.
    """
    number = min(number, PER_TX * len(side.chain.users))
    each = -(-number // len(side.chain.users))
    count = iter(range(first, first + number))
    orders = []
    for index, user in enumerate(side.chain.users):
        receiver = side.other.users[index].address.text
        batch = [
            Transfer(
                side.chain.denom, 1000 + 7 * n, receiver, timeout_after(side, FAR_BLOCKS), f"transfer {n}"
            )
            for n in islice(count, each)
        ]
        if batch:
            orders.append((user, batch))
    send(side, orders)
    return number


def send_and_relay(link: Relayer, sides: Sequence[Side], total: int, tick: OnProgress) -> None:
    """Sends `total` transfers, alternating over all sides, while the relayer works."""
    sent, turn, share = 0, 0, -(-total // len(sides))
    while sent < total:
        sent += send_native(sides[turn % len(sides)], min(total - sent, share), sent)
        turn += 1
        tick(sent)
        if turn % len(sides) == 0:
            link.round()
    link.until_idle()


def return_vouchers(side: Side, number: int) -> int:
    """Sends vouchers back to their origin; returns the number of transfers, at most `number`."""
    denom, users = side.foreign_voucher(), side.chain.users
    held = [side.chain.balance(user.address.raw, denom) for user in users]
    orders = []
    for n in range(number):
        index = n % len(users)
        if held[index] < RETURNED_AMOUNT * (n // len(users) + 1):
            continue
        receiver = side.other.users[index].address.text
        orders.append(
            (
                users[index],
                [Transfer(denom, RETURNED_AMOUNT, receiver, timeout_after(side, FAR_BLOCKS), "home")],
            )
        )
    send(side, orders)
    return len(orders)


def send_to_invalid_address(side: Side) -> None:
    """Sends to an invalid address, which results in an error acknowledgement and a refund."""
    order = Transfer(side.chain.denom, 4242, "not-an-address", timeout_after(side, FAR_BLOCKS), "to nobody")
    send(side, [(side.chain.users[0], [order])])


def send_expiring(side: Side, number: int) -> None:
    """Sends transfers that time out: nobody relays until the counterparty has passed their timeout."""
    timeout = timeout_after(side, 2)
    receiver = side.other.users[0].address.text
    orders = [Transfer(side.chain.denom, 900 + n, receiver, timeout, "too late") for n in range(number)]
    send(side, [(side.chain.users[0], orders)])
    for _ in range(3):
        side.other.chain.make_block()


def send_unrelayed(side: Side) -> None:
    """Sends a transfer that is not relayed."""
    receiver = side.other.users[1].address.text
    order = Transfer(side.chain.denom, 77_777, receiver, timeout_after(side, FAR_BLOCKS), "still under way")
    send(side, [(side.chain.users[1], [order])])
