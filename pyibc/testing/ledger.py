"""Conservation of coins: the invariants of ICS-20, checked on the whole state of several chains.

1. On each chain the balances of a denomination add up to its supply.
2. On each chain the total escrow of a denomination is the sum of the balances of its escrow accounts.
3. For each channel end, or client of IBC v2, the escrowed amount equals the supply of vouchers on the
   counterparty chain plus the packets in flight in both directions. So no more can leave a channel than
   entered through it.
   A packet that was received but not acknowledged yet has arrived: its coins are being forwarded.
4. A packet is received at most once, and completed at most once: acknowledged, or timed out, which excludes
   its receipt.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from pyibc.apps.transfer import packet_data, state
from pyibc.apps.transfer.coins import escrow_address, has_prefix, voucher
from pyibc.apps.transfer.denom import Denom, decode_denom, native
from pyibc.apps.transfer.packet_data import TransferData, decode
from pyibc.chain.app import HostApp
from pyibc.core.host.block import CommittedBlock
from pyibc.core.host.context import prefix_end
from pyibc.core.host.overlay import BlockContext
from pyibc.core.packet import acknowledgement as acks
from pyibc.core.packet import types as v1
from pyibc.core.packet_v2 import types as v2
from pyibc.core.packet_v2.types import SENTINEL, PacketV2
from pyibc.relayer.packets.packets import (
    AnyPacket,
    acknowledgement_key,
    commitment_key,
    name_on_a,
    name_on_b,
    read_event,
    receipt_key,
)
from pyibc.relayer.paths.path import AnyEnd, AnyPath
from pyibc.testing.transfers import hop


class Chain(Protocol):
    """A chain as needed for the checks: all its blocks, from the first one, and its state."""

    @property
    def chain_id(self) -> str:
        """Chain id of the chain."""

    @property
    def height(self) -> int:
        """Height of the last block."""

    @property
    def app(self) -> HostApp:
        """Application of the chain."""

    def get(self, key: bytes) -> bytes | None:
        """Return the value at `key` of the IBC store after the last block, or None."""

    def block(self, height: int) -> CommittedBlock:
        """Return a block."""


class ChannelView(NamedTuple):
    """A transfer channel, or pair of clients, as seen from one of its chains."""

    near: Chain
    near_end: AnyEnd
    far: Chain
    far_end: AnyEnd

    @property
    def flipped(self) -> "ChannelView":
        """The same channel as seen from the counterparty chain."""
        return ChannelView(self.far, self.far_end, self.near, self.near_end)


def channel_view(path: AnyPath, a: Chain, b: Chain) -> ChannelView:
    """Return the channel view of a path between chains `a` and `b`."""
    return ChannelView(a, path.a, b, path.b)


def broken_laws(channels: Sequence[ChannelView]) -> list[str]:
    """Describe the violated invariants; `channels` must have every transfer channel of the chains."""
    views = [view for channel in channels for view in (channel, channel.flipped)]
    chains = {view.near.chain_id: view.near for view in views}
    found = [fault for chain in chains.values() for fault in _supply_faults(chain)]
    for chain_id, chain in chains.items():
        found += _total_faults(chain, [view.near_end for view in views if view.near.chain_id == chain_id])
    for view in views:
        found += _channel_faults(view)
        found += _packet_faults(view)
    return found


def _supply_faults(chain: Chain) -> Iterator[str]:
    bank, ctx = chain.app.bank, chain.app.query_context()
    held: Counter[str] = Counter()
    for _, denom, amount in bank.all_balances(ctx):
        held[denom] += amount
    for denom, supply in dict(bank.total_supply(ctx)).items():
        if held[denom] != supply:
            yield f"{chain.chain_id}: balances of {denom} add up to {held[denom]}, supply {supply}"


def _total_faults(chain: Chain, ends: Sequence[AnyEnd]) -> Iterator[str]:
    bank, ctx = chain.app.bank, chain.app.query_context()
    held: Counter[str] = Counter()
    for end in ends:
        for denom, amount in bank.balances(ctx, escrow_address(*hop(end))):
            held[denom] += amount
    totals = dict(state.total_escrows(ctx))
    for denom in sorted(held.keys() | totals.keys()):
        if held[denom] != totals.get(denom, 0):
            yield f"{chain.chain_id}: escrow of {denom} is {held[denom]}, total {totals.get(denom, 0)}"


def _channel_faults(view: ChannelView) -> Iterator[str]:
    bank, ctx = view.near.app.bank, view.near.app.query_context()
    escrow = dict(bank.balances(ctx, escrow_address(*hop(view.near_end))))
    there = view.far.app.query_context()
    leaving, coming = _under_way(view), _under_way(view.flipped)
    for denom in _denoms(ctx, bank.total_supply(ctx)):
        if has_prefix(denom, *hop(view.near_end)):
            continue
        abroad = voucher(denom, *hop(view.far_end))
        owed = view.far.app.bank.supply(there, abroad.coin_denom) + leaving[denom] + coming[abroad]
        held = escrow.get(denom.coin_denom, 0)
        if held != owed:
            where = f"{view.near.chain_id} {hop(view.near_end)[1]}"
            yield f"{where}: {held} of {denom.path} in escrow, expected {owed}"


def _denoms(ctx: BlockContext, supply: Iterator[tuple[str, int]]) -> list[Denom]:
    known = [native(name) for name, _ in supply if not name.startswith("ibc/")]
    entries = ctx.reader(state.STORE_NAME).iterate(state.DENOM, prefix_end(state.DENOM))
    return known + [decode_denom(raw) for _, raw in entries]


def _under_way(view: ChannelView) -> Counter[Denom]:
    """Return the coins in packets that the near chain sent and that neither arrived nor were refunded."""
    found: Counter[Denom] = Counter()
    for packet in _seen(view.near, "send_packet", view):
        answer = view.far.get(acknowledgement_key(packet))
        if view.near.get(commitment_key(packet)) is None or _was_taken(packet, answer):
            continue
        if answer is None and view.far.get(receipt_key(packet)) is not None:
            continue
        for data in _transfers(packet):
            found[data.denom] += data.amount
    return found


def _packet_faults(view: ChannelView) -> Iterator[str]:
    """Check the lifecycle of packets that the near chain sent."""
    received = Counter(packet.sequence for packet in _seen(view.far, "recv_packet", view))
    acknowledged = Counter(packet.sequence for packet in _seen(view.near, "acknowledge_packet", view))
    timed_out = Counter(packet.sequence for packet in _seen(view.near, "timeout_packet", view))
    for packet in _seen(view.near, "send_packet", view):
        number = packet.sequence
        came, answered, late = received[number], acknowledged[number], timed_out[number]
        if came > 1 or answered + late > 1 or (came and late) or answered > came:
            where = f"{view.near.chain_id} {hop(view.near_end)[1]}/{number}"
            yield f"{where}: received {came} times, acknowledged {answered}, timed out {late}"


def _seen(chain: Chain, kind: str, view: ChannelView) -> Iterator[AnyPacket]:
    """Iterate over packets that the near chain sent, in the events of one kind on `chain`."""
    way = view.near_end.name, view.far_end.name
    for height in range(1, chain.height + 1):
        for outcome in chain.block(height).txs:
            seen = [read_event(event) for event in outcome.events if event[0] == kind]
            packets = [each.packet for each in seen if each is not None]
            # ibc-go emits recv_packet of IBC v2 twice (its issue 9073), and so does pyibc
            for packet in dict.fromkeys(packets):
                if (name_on_a(packet), name_on_b(packet)) == way:
                    yield packet


def _transfers(packet: AnyPacket) -> list[TransferData]:
    """Return the coins in a packet."""
    if isinstance(packet, PacketV2):
        coins = [payload for payload in packet.payloads if payload.port_id_on_a == packet_data.PORT_ID]
        return [packet_data.decode_payload(payload) for payload in coins]
    return [decode(packet.data)]


def _was_taken(packet: AnyPacket, answer: bytes | None) -> bool:
    """Return whether the counterparty chain accepted the coins, by its acknowledgement commitment."""
    if isinstance(packet, PacketV2):
        return answer is not None and answer != v2.acknowledgement_commitment((SENTINEL,))
    return answer == v1.acknowledgement_commitment(acks.success())
