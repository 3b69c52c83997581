"""One end of the demo's queues, over which its users send coins."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ibc_module.plugin import Config
from localnet.demo.chains import DemoChain, two_chains
from localnet.demo.scenario import (
    Announce,
    ChainResult,
    DemoResult,
    OnProgress,
    QueueResult,
    SentTransfer,
    SupplyAudit,
    funded_supply,
    relayer_summary,
    return_vouchers,
    send_and_relay,
    send_expiring,
    send_native,
    send_to_invalid_address,
    send_unrelayed,
)
from pyibc.chain.parts import plugins_with_queues
from pyibc.codec.anys import AnyMessage
from pyibc.core.wire.message import pack_msg
from pyibc.queues.coins import (
    COINS,
    CoinTransfer,
    QueueDenom,
    decode_transfer,
    encode_transfer,
    escrow_address,
)
from pyibc.queues.messages import MsgQueueSend
from pyibc.queues.packet import QueuePacket, Receipt, Registration
from pyibc.queues.states import decode_receipt
from pyibc.queues.types import STORE_NAME, End, element_key
from pyibc.relayer.metrics import Metrics
from pyibc.relayer.money.wallet import Wallet
from pyibc.relayer.queue.datagram import bounds, packet
from pyibc.relayer.queue.link import NAIVE, Options, QueueLink
from pyibc.relayer.queue.path import QueuePath, make_queue_path


class DemoQueueEnd(NamedTuple):
    """One chain, its registered end, and the counterparty chain (`DemoEnd` of `localnet.demo.scenario`)."""

    chain: DemoChain
    registration: Registration
    counterparty: DemoChain
    counterparty_registration: Registration

    def message(self, user: Wallet, transfer: SentTransfer) -> AnyMessage:
        """Return the MsgSend of a packet with coins."""
        denom = QueueDenom(transfer.denom) if transfer.denom == self.chain.denom else self.foreign_denom()
        data = CoinTransfer(denom, transfer.amount, user.address.text, transfer.receiver)
        message = MsgQueueSend(
            self.registration.local,
            self.registration.remote,
            None,
            COINS,
            encode_transfer(data),
            transfer.timeout,
            0,
            user.address.text,
        )
        return pack_msg(message)

    def foreign_denom(self) -> QueueDenom:
        """Return the counterparty's native denomination on this chain."""
        return QueueDenom(self.counterparty.denom).received_from(self.registration.remote)

    def foreign_voucher(self) -> str:
        """Return the bank denomination of the counterparty's coins on this chain."""
        return self.foreign_denom().name

    def flipped(self) -> "DemoQueueEnd":
        """Return the same queues as seen from the counterparty."""
        return DemoQueueEnd(self.counterparty, self.counterparty_registration, self.chain, self.registration)


def demo_ends(a: DemoChain, b: DemoChain, path: QueuePath) -> tuple[DemoQueueEnd, DemoQueueEnd]:
    """Return both ends of the queue path."""
    end = DemoQueueEnd(a, path.a, b, path.b)
    return end, end.flipped()


# -- the demo of queues, without Spark


def queue_result(end: DemoQueueEnd) -> QueueResult:
    """Return head and tail of the queue of packets that `end` sends."""
    found = bounds(end.chain.endpoint, end.registration.outgoing)
    return QueueResult(end.registration.local.text, end.registration.remote.text, found.head, found.tail)


def entry_count(chain: DemoChain) -> int:
    """Return the number of entries in the chain's queue store."""
    return sum(1 for _ in chain.chain.app.query_context().reader(STORE_NAME).iterate(b"\0", None))


def supply_audit(ends: Sequence[DemoQueueEnd]) -> SupplyAudit:
    """Audit the supply of a chain's native coin on both chains; `ends` are all of the chain's queue ends."""
    chain, own = ends[0].chain, QueueDenom(ends[0].chain.denom)
    escrow = vouchers = underway = 0
    for end in ends:
        abroad = own.received_from(end.registration.local)
        escrow += chain.balance(escrow_address(end.registration.remote), own.name)
        vouchers += end.counterparty.supply(abroad.name)
        underway += _underway(end, own) + _underway(end.flipped(), abroad)
    return SupplyAudit(chain.denom, chain.supply(own.name), funded_supply(chain), escrow, vouchers, underway)


def _underway(end: DemoQueueEnd, denom: QueueDenom) -> int:
    """Return the amount of `denom` in pending packets of `end` not yet executed on the counterparty chain."""
    total = 0
    for waiting in _waiting(end):
        data, receipt = decode_transfer(waiting.data), _receipt(end, waiting)
        if data.denom == denom and (receipt is None or not receipt.is_success):
            total += data.amount
    return total


def _waiting(end: DemoQueueEnd) -> Iterator[QueuePacket]:
    head, tail = bounds(end.chain.endpoint, end.registration.outgoing)
    for index in range(head, tail):
        found = packet(end.chain.endpoint, end.registration, index)
        if found is not None:
            yield found


def _receipt(end: DemoQueueEnd, sent: QueuePacket) -> Receipt | None:
    raw = end.counterparty.chain.get(element_key(end.registration.their_incoming, sent.sequence), STORE_NAME)
    return None if raw is None else decode_receipt(raw)


RETURNED = 6
EXPIRING = 6
COMPARED = 30
"""Packets per relayer in the comparison."""


def run(out: Path, transfers: int, say: Announce, tick: OnProgress) -> DemoResult:
    """Run the demo of queues in the folder `out`, as laid out by `two_chains`.

    `say` receives a line per phase, `tick` the number of transfers sent so far.
    """
    with two_chains(out, lambda: plugins_with_queues(Config())) as (a, b):
        say(f"{a.chain_id} and {b.chain_id}: four validators each, every block signed")
        paths = _register(a, b, say)
        scenario = _Scenario(a, b, paths, say)
        scenario.rush(transfers, tick)
        scenario.failures()
        scenario.compare()
        scenario.clean_up()
        scenario.leave_one()
        return scenario.result()


def _register(a: DemoChain, b: DemoChain, say: Announce) -> list[QueuePath]:
    channels = tuple(End(chain.chain_id, "connection-0", "channel-0") for chain in (a, b))
    chain_level = make_queue_path(a.endpoint, b.endpoint)
    channel_level = make_queue_path(a.endpoint, b.endpoint, (channels[0], channels[1]))
    say("two light clients, and the four queues between the chains: packets and receipts, in each direction")
    say(f"four more of a channel, {channels[0].text} and {channels[1].text}, over the same clients")
    return [chain_level, channel_level]


class _Scenario:
    """Two chains with registered ends, and a relayer that batches."""

    def __init__(self, a: DemoChain, b: DemoChain, paths: list[QueuePath], say: Announce) -> None:
        self._a, self._b, self._paths, self._say = a, b, paths, say
        ends = [demo_ends(a, b, path) for path in paths]
        self._of_a, self._of_b = ([pair[0] for pair in ends], [pair[1] for pair in ends])
        self._link = self._relayer(Options())

    def _relayer(self, options: Options) -> QueueLink:
        return QueueLink(self._paths, self._a.endpoint, self._b.endpoint, options)

    def rush(self, transfers: int, tick: OnProgress) -> None:
        """Send coins in both directions over all queues, then return vouchers to their origin."""
        everywhere: list[DemoQueueEnd] = [
            end for pair in zip(self._of_a, self._of_b, strict=True) for end in pair
        ]
        send_and_relay(self._link, everywhere, transfers, tick)
        self._say(f"{transfers} packets of coins both ways: escrowed here, vouchers there, committed")
        home = sum(return_vouchers(end, RETURNED) for end in everywhere)
        self._link.until_idle()
        self._say(f"{home} packets of vouchers home, out of escrow again")

    def failures(self) -> None:
        """Produce an error receipt, timeouts, and a packet that expires before its handler runs."""
        send_to_invalid_address(self._of_a[0])
        self._link.until_idle()
        self._say("one to an invalid address: its receipt is an error, rolled back")
        for end in (self._of_a[1], self._of_b[0]):
            send_expiring(end, EXPIRING)
        self._link.until_idle()
        self._say(f"{2 * EXPIRING} not relayed in time: rolled back, with one proof of absence per end")
        send_expiring(self._of_b[1], 1)
        send_native(self._of_b[1], 1, 0)
        self._link.until_idle()
        self._say(
            "one that expired before a fresh one: receipt TimeoutError without its handler, rolled back"
        )
        self._say(relayer_summary(self._link.metrics))

    def compare(self) -> None:
        """Compare the naive algorithm of [IBC-channels 3.7] with batching, over the same queue."""
        self._say(f"{COMPARED} packets and their receipts, relayed by")
        for name, options in (("one by one", NAIVE), ("under one header", Options())):
            for end in (self._of_a[0], self._of_b[0]):
                send_native(end, COMPARED // 2, 0)
            self._say(f"  {name}: {_cost(self._relayer(options).until_idle())}")

    def clean_up(self) -> None:
        """Delete handled receipts from the store."""
        before = [entry_count(chain) for chain in (self._a, self._b)]
        done = self._relayer(Options(clean=1)).until_idle()
        after = [entry_count(chain) for chain in (self._a, self._b)]
        sizes = " and ".join(f"{old} to {new}" for old, new in zip(before, after, strict=True))
        self._say(f"{done.cleaned_up} handled receipts cleaned up: entries in the stores from {sizes}")

    def leave_one(self) -> None:
        """Send a packet that is never relayed."""
        send_unrelayed(self._of_a[1])
        self._say("one left in flight on purpose")

    def result(self) -> DemoResult:
        """Return the final state of both chains."""
        ours = (self._of_a, self._of_b)
        queues = [[queue_result(end) for end in own] for own in ours]
        chains = [
            ChainResult(
                own[0].chain.chain_id,
                own[0].chain.chain.height,
                sum(queue.tail - queue.head for queue in found),
                supply_audit(own),
            )
            for own, found in zip(ours, queues, strict=True)
        ]
        return DemoResult((chains[0], chains[1]), (self._a.export, self._b.export), (*queues[0], *queues[1]))


def _cost(done: Metrics) -> str:
    cpu_us = sum(done.cpu_ns.values()) / 1000 / COMPARED
    return f"{done.transactions} transactions, {done.updates} updates, {cpu_us:.0f} us CPU a packet"
