"""Invariants of ordered queues once no packet is in flight."""

from collections.abc import Iterator
from typing import NamedTuple

from conformance.simulation.nodes import Node
from localnet.chain import LocalChain
from pyibc.core.host.block import Event
from pyibc.queues import packet
from pyibc.queues.coins import denom_of, escrow_address
from pyibc.queues.errors import PacketExpired
from pyibc.queues.packet import Registration
from pyibc.queues.types import STORE_NAME, head_key, tail_key
from pyibc.relayer.paths.path import SIDES, other
from pyibc.relayer.queue.path import QueuePath


def queued(chain: LocalChain, registration: Registration) -> int:
    """Return the number of packets in an end's queue without a receipt."""
    reader = chain.app.query_context().reader(STORE_NAME)
    head, tail = (reader.get(key(registration.outgoing)) or b"" for key in (head_key, tail_key))
    return int.from_bytes(tail, "big") - int.from_bytes(head, "big")


def queue_violations(ends: tuple[Node, Node], path: QueuePath) -> Iterator[str]:
    """Yield all violations of a pair of queues."""
    for side in SIDES:
        yield from _order_faults(ends[side], ends[other(side)], path[side])
        yield from _escrow_faults(ends[side], ends[other(side)], path[side])


def _escrow_faults(near: Node, far: Node, registration: Registration) -> Iterator[str]:
    """Check that the escrow for the other end equals the supply of its vouchers there."""
    ctx, there = (node.chain.app.query_context() for node in (near, far))
    held = dict(near.chain.app.bank.balances(ctx, escrow_address(registration.remote)))
    for name, _ in near.chain.app.bank.total_supply(ctx):
        denom = denom_of(ctx, name)
        if denom.came_from(registration.remote):
            continue
        abroad = denom.received_from(registration.local).name
        owed = far.chain.app.bank.supply(there, abroad)
        if held.get(name, 0) != owed:
            chain_id, escrowed = near.identity.chain_id, held.get(name, 0)
            yield f"{chain_id}: {escrowed} of {name} in queues' escrow, {owed} are owed"


def _order_faults(near: Node, far: Node, registration: Registration) -> Iterator[str]:
    """Check that each packet ends once, is executed unless it is timed out, and that all are in order."""
    sent = [each.sequence for each in _events_of(near, registration, packet.SEND)]
    ends = _events_of(near, registration, packet.HANDLE_RECEIPT, packet.TIMEOUT)
    received = [each.sequence for each in _events_of(far, registration, packet.RECEIVE) if not each.is_late]
    on_time, chain_id = [each.sequence for each in ends if not each.is_late], near.identity.chain_id
    if [each.sequence for each in ends] != sent:
        yield f"{chain_id}: packets {sent} were queued, {[each.sequence for each in ends]} ended"
    if received != on_time:
        yield f"{chain_id}: of its packets {received} were executed, {on_time} did not end as too late"


class _QueueEvent(NamedTuple):
    """An event of a packet."""

    sequence: int
    is_late: bool  # timed out, or received too late and not executed


def _events_of(node: Node, registration: Registration, *kinds: str) -> list[_QueueEvent]:
    """Yield the events of an end's packets, in order."""
    way = registration.local.text, registration.remote.text
    found = []
    for height in sorted(node.observed):
        for outcome in node.observed[height].block.txs:
            for event in outcome.events if not outcome.code else ():
                said = dict(event[1]) if event[0] in kinds else {}
                if said and (said["source"], said["destination"]) == way:
                    found.append(
                        _QueueEvent(int(said["sequence"]), event[0] == packet.TIMEOUT or came_late(event))
                    )
    return found


def came_late(event: Event) -> bool:
    """Return whether an event reports a receipt of a packet that arrived after its timeout."""
    said = dict(event[1])
    return (said.get("codespace"), said.get("code")) == (PacketExpired.codespace, str(PacketExpired.code))
