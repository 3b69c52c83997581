"""What must hold of coins and packets of ordered queues, once none is under way."""

from collections.abc import Iterator
from typing import NamedTuple

from conformance.simulation.nodes import Node
from ibc_core.errors.queue import PacketExpired
from ibc_core.host.events import Event
from ibc_core.queue import events
from ibc_core.queue.packet import Registration
from ibc_core.queue.types import STORE_NAME, head_key, tail_key
from ibc_module.apps.queue_coins.app import denom_of, escrow_address
from ibc_relayer.path import SIDES, other
from ibc_relayer.queue.path import QueuePath
from localnet.chain import LocalChain


def queued(chain: LocalChain, registration: Registration) -> int:
    """Packets that wait in an end's queue for their answers."""
    reader = chain.app.query_context().reader(STORE_NAME)
    head, tail = (reader.get(key(registration.outgoing)) or b"" for key in (head_key, tail_key))
    return int.from_bytes(tail, "big") - int.from_bytes(head, "big")


def broken_queues(ends: tuple[Node, Node], path: QueuePath) -> Iterator[str]:
    """Everything that does not hold of a pair of queues."""
    for side in SIDES:
        yield from _order_faults(ends[side], ends[other(side)], path[side])
        yield from _escrow_faults(ends[side], ends[other(side)], path[side])


def _escrow_faults(near: Node, far: Node, registration: Registration) -> Iterator[str]:
    """What is in escrow for the other end is what there is of its vouchers there."""
    ctx, there = (node.chain.app.query_context() for node in (near, far))
    held = dict(near.chain.app.bank.balances(ctx, escrow_address(registration.remote)))
    for name, _ in near.chain.app.bank.total_supply(ctx):
        denom = denom_of(ctx, name)
        if denom.came_from(registration.remote):
            continue
        abroad = denom.received_from(registration.local).name
        owed = far.chain.app.bank.supply(there, abroad)
        if held.get(name, 0) != owed:
            yield f"{near.terms.chain_id}: {held.get(name, 0)} of {name} in queues' escrow, {owed} are owed"


def _order_faults(near: Node, far: Node, registration: Registration) -> Iterator[str]:
    """Each packet ends once, and is executed by the other chain if it does not end too late; all in order."""
    sent = [each.sequence for each in _told(near, registration, events.SEND)]
    ends = _told(near, registration, events.HANDLE_RECEIPT, events.TIMEOUT)
    received = [each.sequence for each in _told(far, registration, events.RECEIVE) if not each.is_late]
    on_time, chain_id = [each.sequence for each in ends if not each.is_late], near.terms.chain_id
    if [each.sequence for each in ends] != sent:
        yield f"{chain_id}: packets {sent} were queued, {[each.sequence for each in ends]} ended"
    if received != on_time:
        yield f"{chain_id}: of its packets {received} were executed, {on_time} did not end as too late"


class _Told(NamedTuple):
    """An event of a packet."""

    sequence: int
    is_late: bool  # it was timed out, or came after its time and was not executed


def _told(node: Node, registration: Registration, *kinds: str) -> list[_Told]:
    """What a chain's events say of an end's packets, in order."""
    way = registration.local.text, registration.remote.text
    found = []
    for height in sorted(node.heard):
        for outcome in node.heard[height].block.txs:
            for event in outcome.events if not outcome.code else ():
                said = dict(event[1]) if event[0] in kinds else {}
                if said and (said["source"], said["destination"]) == way:
                    found.append(_Told(int(said["sequence"]), event[0] == events.TIMEOUT or came_late(event)))
    return found


def came_late(event: Event) -> bool:
    """Whether an event tells of a receipt that says that its packet came after its time."""
    said = dict(event[1])
    return (said.get("codespace"), said.get("code")) == (PacketExpired.codespace, str(PacketExpired.code))
