"""What the users of the demo do, whatever their packets go over."""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import NamedTuple, Protocol

from ibc_core.height import Height
from ibc_core.messages import AnyMessage
from ibc_relayer.metrics import Metrics
from ibc_relayer.wallet import Wallet
from localnet.demo.chains import DemoChain
from localnet.demo.report import OnProgress

FAR_BLOCKS = 1_000_000
"""Blocks until the timeout of a packet that is meant to arrive."""
PER_TX = 10
"""Transfers in one transaction."""
RETURNED_AMOUNT = 500
"""Vouchers in a transfer home."""


class Transfer(NamedTuple):
    """One transfer that a user wants to make."""

    denom: str  # as the sending chain calls it
    amount: int
    receiver: str
    timeout: Height
    memo: str = ""


class Side(Protocol):
    """One chain, what it sends over, and the chain at the other end."""

    @property
    def chain(self) -> DemoChain:
        """The one that sends."""

    @property
    def other(self) -> DemoChain:
        """The one that receives."""

    def message(self, user: Wallet, transfer: Transfer) -> AnyMessage:
        """The message by which a user makes a transfer."""

    def foreign_voucher(self) -> str:
        """What the other chain's coins are called here."""


class Relayer(Protocol):
    """Brings everything that waits."""

    def round(self) -> bool:
        """Looks once at both chains."""

    def until_idle(self) -> Metrics:
        """Goes on until nothing waits."""


def timeout_after(side: Side, blocks: int) -> Height:
    """A timeout so many blocks of the other chain from now."""
    return Height(side.other.chain.revision, side.other.chain.height + blocks)


def send(side: Side, orders: Iterable[tuple[Wallet, Sequence[Transfer]]]) -> None:
    """One signed transaction a user, all in one block."""
    side.chain.send(
        (user, [side.message(user, transfer) for transfer in transfers]) for user, transfers in orders
    )


def send_native(side: Side, number: int, first: int) -> int:
    """Transfers of the chain's own coins, ten a transaction at most, a transaction a user, in one block.

    Returns how many there were: `number`, or what its users can make in a block.
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
    """`total` transfers over all sides in turns, while the relayer works."""
    sent, turn, share = 0, 0, -(-total // len(sides))
    while sent < total:
        sent += send_native(sides[turn % len(sides)], min(total - sent, share), sent)
        turn += 1
        tick(sent)
        if turn % len(sides) == 0:
            link.round()
    link.until_idle()


def return_vouchers(side: Side, number: int) -> int:
    """Vouchers go home; returns in how many transfers, `number` or what their holders can make of them."""
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
    """A transfer to an address that is none: an error brings it back."""
    order = Transfer(side.chain.denom, 4242, "not-an-address", timeout_after(side, FAR_BLOCKS), "to nobody")
    send(side, [(side.chain.users[0], [order])])


def send_expiring(side: Side, number: int) -> None:
    """Transfers that time out, since nobody relays until the other chain is past their timeout."""
    timeout = timeout_after(side, 2)
    receiver = side.other.users[0].address.text
    orders = [Transfer(side.chain.denom, 900 + n, receiver, timeout, "too late") for n in range(number)]
    send(side, [(side.chain.users[0], orders)])
    for _ in range(3):
        side.other.chain.make_block()


def send_unrelayed(side: Side) -> None:
    """A transfer that nobody relays."""
    receiver = side.other.users[1].address.text
    order = Transfer(side.chain.denom, 77_777, receiver, timeout_after(side, FAR_BLOCKS), "still under way")
    send(side, [(side.chain.users[1], [order])])
