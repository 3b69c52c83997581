"""Audit of the final state with queues: pending packets, and where every coin is."""

from collections.abc import Iterator, Sequence

from ibc_core.queue.packet import QueuePacket, Receipt
from ibc_core.queue.states import decode_receipt
from ibc_core.queue.types import STORE_NAME, element_key
from ibc_module.apps.queue_coins.app import escrow_address
from ibc_module.apps.queue_coins.denom import QueueDenom, decode_transfer
from ibc_relayer.queue.state import bounds, packet
from localnet.demo.chains import DemoChain
from localnet.demo.queue.queue_side import QueueSide
from localnet.demo.report import QueueResult, SupplyAudit, funded_supply


def queue_result(side: QueueSide) -> QueueResult:
    """Head and tail of the queue of packets that `side` sends."""
    found = bounds(side.chain.endpoint, side.end.outgoing)
    return QueueResult(side.end.local.text, side.end.remote.text, found.head, found.tail)


def entry_count(chain: DemoChain) -> int:
    """Number of entries in the chain's queue store."""
    return sum(1 for _ in chain.chain.app.query_context().reader(STORE_NAME).iterate(b"\0", None))


def supply_audit(sides: Sequence[QueueSide]) -> SupplyAudit:
    """Where a chain's coins are, read from both chains' state; `sides` are all of its queue ends."""
    chain, own = sides[0].chain, QueueDenom(sides[0].chain.denom)
    escrow = vouchers = underway = 0
    for side in sides:
        abroad = own.received_from(side.end.local)
        escrow += chain.balance(escrow_address(side.end.remote), own.name)
        vouchers += side.other.supply(abroad.name)
        underway += _underway(side, own) + _underway(side.flipped(), abroad)
    return SupplyAudit(chain.denom, chain.supply(own.name), funded_supply(chain), escrow, vouchers, underway)


def _underway(side: QueueSide, denom: QueueDenom) -> int:
    """Amount of `denom` in pending packets of `side` that the other chain has not executed successfully."""
    total = 0
    for waiting in _waiting(side):
        data, receipt = decode_transfer(waiting.data), _receipt(side, waiting)
        if data.denom == denom and (receipt is None or not receipt.is_success):
            total += data.amount
    return total


def _waiting(side: QueueSide) -> Iterator[QueuePacket]:
    head, tail = bounds(side.chain.endpoint, side.end.outgoing)
    for index in range(head, tail):
        found = packet(side.chain.endpoint, side.end, index)
        if found is not None:
            yield found


def _receipt(side: QueueSide, sent: QueuePacket) -> Receipt | None:
    raw = side.other.chain.get(element_key(side.end.their_incoming, sent.sequence), STORE_NAME)
    return None if raw is None else decode_receipt(raw)
