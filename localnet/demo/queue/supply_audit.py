"""Audit of the final state with queues: pending packets, and where every coin is."""

from collections.abc import Iterator, Sequence

from ibc_core.queue.packet import QueuePacket, Receipt
from ibc_core.queue.states import decode_receipt
from ibc_core.queue.types import STORE_NAME, element_key
from ibc_module.apps.queue_coins.app import escrow_address
from ibc_module.apps.queue_coins.denom import QueueDenom, decode_transfer
from ibc_relayer.queue.state import bounds, packet
from localnet.demo.chains import DemoChain
from localnet.demo.queue.queue_end import DemoQueueEnd
from localnet.demo.report import QueueResult, SupplyAudit, funded_supply


def queue_result(end: DemoQueueEnd) -> QueueResult:
    """Head and tail of the queue of packets that `end` sends."""
    found = bounds(end.chain.endpoint, end.registration.outgoing)
    return QueueResult(end.registration.local.text, end.registration.remote.text, found.head, found.tail)


def entry_count(chain: DemoChain) -> int:
    """Number of entries in the chain's queue store."""
    return sum(1 for _ in chain.chain.app.query_context().reader(STORE_NAME).iterate(b"\0", None))


def supply_audit(ends: Sequence[DemoQueueEnd]) -> SupplyAudit:
    """Where a chain's coins are, read from both chains' state; `ends` are all of its queue ends."""
    chain, own = ends[0].chain, QueueDenom(ends[0].chain.denom)
    escrow = vouchers = underway = 0
    for end in ends:
        abroad = own.received_from(end.registration.local)
        escrow += chain.balance(escrow_address(end.registration.remote), own.name)
        vouchers += end.counterparty.supply(abroad.name)
        underway += _underway(end, own) + _underway(end.flipped(), abroad)
    return SupplyAudit(chain.denom, chain.supply(own.name), funded_supply(chain), escrow, vouchers, underway)


def _underway(end: DemoQueueEnd, denom: QueueDenom) -> int:
    """Amount of `denom` in pending packets of `end` that the other chain has not executed successfully."""
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
