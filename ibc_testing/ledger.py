"""Where every coin is: the laws of ICS-20, checked against the whole state of several chains.

1. On each chain the balances of a denomination add up to its supply.
2. On each chain the total in escrow of a denomination is the sum of its escrow accounts.
3. Of each end of a channel, or client of IBC v2: what is in escrow there is what exists as vouchers on the
   other chain, and what is on the way in either direction. So nobody can take out of a channel what did not
   come in through it. What was received and is not answered yet has arrived: it is being forwarded.
4. A packet is received at most once, and ends at most once: acknowledged, or timed out, which excludes
   that it was received.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from ibc_core.host.block import CommittedBlock
from ibc_core.host.overlay import BlockContext
from ibc_core.packet import acknowledgement as acks
from ibc_core.packet import types as v1
from ibc_core.packet_v2 import types as v2
from ibc_core.packet_v2.types import SENTINEL, PacketV2
from ibc_core.paths import prefix_end
from ibc_core.transfer.denom import Denom, decode_denom, native
from ibc_module.apps.transfer import encodings, state
from ibc_module.apps.transfer.coins import came_over, voucher
from ibc_module.apps.transfer.escrow import escrow_address
from ibc_module.apps.transfer.packet_data import TransferData, decode
from ibc_relayer.packets import (
    AnyPacket,
    acknowledgement_key,
    commitment_key,
    name_on_a,
    name_on_b,
    read_event,
    receipt_key,
)
from ibc_relayer.path import AnyEnd, AnyPath
from ibc_testing.transfers import hop
from localnet.host.app import HostApp


class Chain(Protocol):
    """What is asked of a chain: all its blocks, from the first on, and its state."""

    @property
    def chain_id(self) -> str:
        """The chain's id."""

    @property
    def height(self) -> int:
        """Height of the last block."""

    @property
    def app(self) -> HostApp:
        """Its application."""

    def get(self, key: bytes) -> bytes | None:
        """The value at `key` of the IBC store after the last block, or None."""

    def block(self, height: int) -> CommittedBlock:
        """A block."""


class ChannelView(NamedTuple):
    """A transfer channel, or pair of clients, as one of its chains sees it."""

    near: Chain
    near_end: AnyEnd
    far: Chain
    far_end: AnyEnd

    @property
    def flipped(self) -> "ChannelView":
        """The same channel as the other chain sees it."""
        return ChannelView(self.far, self.far_end, self.near, self.near_end)


def channel_view(path: AnyPath, a: Chain, b: Chain) -> ChannelView:
    """What a path carries between chains `a` and `b`."""
    return ChannelView(a, path.a, b, path.b)


def broken_laws(channels: Sequence[ChannelView]) -> list[str]:
    """What does not hold, in words; every transfer channel of the chains must be in `channels`."""
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
        if came_over(denom, *hop(view.near_end)):
            continue
        abroad = voucher(denom, *hop(view.far_end))
        owed = view.far.app.bank.supply(there, abroad.coin_denom) + leaving[denom] + coming[abroad]
        held = escrow.get(denom.coin_denom, 0)
        if held != owed:
            where = f"{view.near.chain_id} {hop(view.near_end)[1]}"
            yield f"{where}: {held} of {denom.path} in escrow, {owed} are owed"


def _denoms(ctx: BlockContext, supply: Iterator[tuple[str, int]]) -> list[Denom]:
    known = [native(name) for name, _ in supply if not name.startswith("ibc/")]
    entries = ctx.reader(state.STORE_NAME).iterate(state.DENOM, prefix_end(state.DENOM))
    return known + [decode_denom(raw) for _, raw in entries]


def _under_way(view: ChannelView) -> Counter[Denom]:
    """What left the near chain, and neither arrived nor came back."""
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
    """Of the packets that the near chain sent."""
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
    """Packets that the near chain sent, in the events of one kind on `chain`."""
    way = view.near_end.name, view.far_end.name
    for height in range(1, chain.height + 1):
        for outcome in chain.block(height).txs:
            seen = [read_event(event) for event in outcome.events if event[0] == kind]
            packets = [each.packet for each in seen if each is not None]
            # ibc-go says recv_packet of IBC v2 twice (its issue 9073), and so do we
            for packet in dict.fromkeys(packets):
                if (name_on_a(packet), name_on_b(packet)) == way:
                    yield packet


def _transfers(packet: AnyPacket) -> list[TransferData]:
    """The coins in a packet."""
    if isinstance(packet, PacketV2):
        coins = [payload for payload in packet.payloads if payload.port_id_on_a == state.PORT_ID]
        return [encodings.decode(payload) for payload in coins]
    return [decode(packet.data)]


def _was_taken(packet: AnyPacket, answer: bytes | None) -> bool:
    """Whether the other chain, which keeps this commitment to its answer, took the coins."""
    if isinstance(packet, PacketV2):
        return answer is not None and answer != v2.acknowledgement_commitment((SENTINEL,))
    return answer == v1.acknowledgement_commitment(acks.success())
