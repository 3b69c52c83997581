"""The demo of channels, without Spark; transfers by its users and the audit of supplies, for any protocol."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import NamedTuple, Protocol

from localnet.demo.chains import FUNDS, DemoChain, two_chains
from pyibc.apps.transfer.coins import escrow_address, voucher
from pyibc.apps.transfer.denom import native, parse_denom
from pyibc.apps.transfer.messages import MsgTransfer
from pyibc.apps.transfer.packet_data import decode
from pyibc.codec.anys import AnyMessage
from pyibc.core.channel.types import Order
from pyibc.core.height import Height
from pyibc.core.packet.events import SEND_PACKET, read_packet_event
from pyibc.core.packet.types import Packet
from pyibc.core.wire.message import pack_msg
from pyibc.relayer.links.link import Link
from pyibc.relayer.metrics import Metrics
from pyibc.relayer.money.wallet import Wallet
from pyibc.relayer.packets.packets import commitment_key, receipt_key
from pyibc.relayer.paths.open_path import make_path
from pyibc.relayer.paths.path import Path as RelayPath
from pyibc.relayer.paths.path import PathEnd
from pyibc.relayer.queue.link import QueueLink

Announce = Callable[[str], None]
"""Callback for one line per phase of the demo."""

OnProgress = Callable[[int], None]
"""Callback for the number of transfers sent so far."""


class SupplyAudit(NamedTuple):
    """Distribution of one chain's native coins."""

    denom: str
    supply: int  # on the native chain
    expected_supply: int
    escrow: int  # backing vouchers and packets in flight
    vouchers: int  # minted on the counterparty
    on_the_way: int  # in packets that have not been received

    @property
    def balanced(self) -> bool:
        """True if no coin was lost or created."""
        return self.supply == self.expected_supply and self.escrow == self.vouchers + self.on_the_way


def funded_supply(chain: DemoChain) -> int:
    """Return the amount of native coins that a chain's genesis distributes."""
    return FUNDS * len(chain.users)


class ChainResult(NamedTuple):
    """The final state of one chain."""

    chain_id: str
    blocks: int
    open_packets: int
    audit: SupplyAudit


class QueueResult(NamedTuple):
    """The final state of the queue of packets from one end to another."""

    source: str  # text form of the sending end
    destination: str  # text form of the receiving end
    head: int  # packets acknowledged or timed out
    tail: int  # packets sent


class DemoResult(NamedTuple):
    """The outcome of a demo."""

    chains: tuple[ChainResult, ChainResult]
    exports: tuple[Path, Path]
    queues: tuple[QueueResult, ...] = ()


def relayer_summary(done: Metrics) -> str:
    """Return one line on a relayer's work and its cost."""
    cpu_ms = sum(done.cpu_ns.values()) / 1e6
    cleaned = f", {done.cleaned_up} receipts cleaned up" if done.cleaned_up else ""
    failed = f" ({done.failed} with an error)" if done.failed else ""
    return (
        f"the relayer: {done.delivered} delivered, {done.acknowledged} acknowledged{failed},"
        f" {done.timed_out} timed out{cleaned} in {done.transactions} transactions with"
        f" {done.updates} client updates, {cpu_ms:.0f} ms CPU (the chains' work in it included)"
    )


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


# -- one end of the demo's ICS-20 channel


class DemoChannelEnd(NamedTuple):
    """One chain, its end of the path, and the counterparty chain (`user_transfers.DemoEnd`)."""

    chain: DemoChain
    path_end: PathEnd
    counterparty: DemoChain
    counterparty_end: PathEnd

    def message(self, user: Wallet, transfer: SentTransfer) -> AnyMessage:
        """Return the MsgTransfer of a transfer."""
        message = MsgTransfer(
            self.path_end.port_id,
            self.path_end.channel_id,
            transfer.denom,
            str(transfer.amount),
            user.address.text,
            transfer.receiver,
            transfer.timeout,
            0,
            transfer.memo,
        )
        return pack_msg(message)

    def foreign_voucher(self) -> str:
        """Return the denomination of the counterparty's native coin on this chain."""
        return voucher(
            native(self.counterparty.denom), self.path_end.port_id, self.path_end.channel_id
        ).coin_denom

    def flipped(self) -> "DemoChannelEnd":
        """Return the same channel as seen from the counterparty."""
        return DemoChannelEnd(self.counterparty, self.counterparty_end, self.chain, self.path_end)


def demo_ends(a: DemoChain, b: DemoChain, path: RelayPath) -> tuple[DemoChannelEnd, DemoChannelEnd]:
    """Return both ends of the path."""
    end = DemoChannelEnd(a, path.a, b, path.b)
    return end, end.flipped()


# -- the audit


def open_packets(end: DemoChannelEnd) -> list[Packet]:
    """Return the packets that this chain sent and that were neither acknowledged nor timed out."""
    return [packet for packet in _sent(end.chain) if end.chain.chain.get(commitment_key(packet)) is not None]


def supply_audit(end: DemoChannelEnd) -> SupplyAudit:
    """Audit the supply of the native coin of `end`'s chain, on both chains."""
    near, far = end.path_end, end.counterparty_end
    own = native(end.chain.denom)
    abroad = voucher(own, far.port_id, far.channel_id)
    leaving = _underway(end, own.path)
    coming = _underway(end.flipped(), abroad.path)
    return SupplyAudit(
        end.chain.denom,
        end.chain.supply(own.coin_denom),
        funded_supply(end.chain),
        end.chain.balance(escrow_address(near.port_id, near.channel_id), own.coin_denom),
        end.counterparty.supply(abroad.coin_denom),
        leaving + coming,
    )


def _underway(end: DemoChannelEnd, path: str) -> int:
    """Return the amount of the denomination `path` in open packets of `end` that were not received."""
    total = 0
    for packet in open_packets(end):
        data = decode(packet.data)
        if data.denom == parse_denom(path) and end.counterparty.chain.get(receipt_key(packet)) is None:
            total += data.amount
    return total


def _sent(chain: DemoChain) -> list[Packet]:
    found = []
    for block in chain.blocks():
        for outcome in block.txs:
            for event in outcome.events:
                seen = read_packet_event(event)
                if seen is not None and seen.kind == SEND_PACKET:
                    found.append(seen.packet)
    return found


RETURNED = 12
EXPIRING = 6


def run(out: Path, transfers: int, say: Announce, tick: OnProgress) -> DemoResult:
    """Run the demo of channels in the folder `out`, as laid out by `two_chains`.

    `say` receives a line per phase, `tick` the number of transfers sent so far.
    """
    with two_chains(out) as (a, b):
        return _play(a, b, transfers, say, tick)


def _play(a: DemoChain, b: DemoChain, transfers: int, say: Announce, tick: OnProgress) -> DemoResult:
    say(f"{a.chain_id} and {b.chain_id}: four validators each, every block signed")
    path = make_path(a.endpoint, b.endpoint, "transfer", Order.UNORDERED, "ics20-1")
    say(f"a light client each, a connection, and {path.a.channel_id}, unordered, ICS-20")
    both = demo_ends(a, b, path)
    with closing(Link([path], a.endpoint, b.endpoint)) as link:
        send_and_relay(link, both, transfers, tick)
        say(f"{transfers} transfers both ways, in signed transactions of ten, relayed with proofs")
        home = sum(return_vouchers(end, RETURNED) for end in both)
        link.until_idle()
        say(f"{home} transfers of vouchers home, out of escrow again")
        send_to_invalid_address(both[0])
        link.until_idle()
        say("one to an invalid address: error acknowledgement, refunded")
        send_expiring(both[0], EXPIRING)
        send_expiring(both[1], EXPIRING)
        link.until_idle()
        say(f"{2 * EXPIRING} not relayed in time: timed out by proof of absence, refunded")
        send_unrelayed(both[0])
        say("one left in flight on purpose")
        say(relayer_summary(link.metrics))
    return DemoResult((_chain_result(both[0]), _chain_result(both[1])), (a.export, b.export))


def _chain_result(end: DemoChannelEnd) -> ChainResult:
    chain = end.chain
    return ChainResult(
        chain.chain_id,
        chain.chain.height,
        len(open_packets(end)),
        supply_audit(end),
    )
