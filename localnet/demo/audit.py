"""What the chains' own state says at the end: open packets, and where every coin is."""

from typing import NamedTuple

from ibc_module.apps.transfer.denom import native, parse_denom, voucher
from ibc_module.apps.transfer.escrow import escrow_address
from ibc_module.apps.transfer.packet_data import decode
from ibc_module.core.packet import Packet
from ibc_module.core.packet_events import SEND_PACKET, read_packet_event
from ibc_module.core.paths import packet_commitment_path, packet_receipt_path
from localnet.demo.actors import FUNDS, DemoChain
from localnet.demo.traffic import Side


class Books(NamedTuple):
    """Where one chain's own coins are."""

    denom: str
    supply: int  # on its own chain
    expected_supply: int
    escrow: int  # held for the channel
    vouchers: int  # made of it on the other chain
    on_the_way: int  # left, or on the way home, and not arrived

    @property
    def balanced(self) -> bool:
        """Whether nothing was lost and nothing was made of nothing."""
        return self.supply == self.expected_supply and self.escrow == self.vouchers + self.on_the_way


def open_packets(side: Side) -> list[Packet]:
    """Packets of this chain that are neither acknowledged nor timed out: their commitments still stand."""
    return [packet for packet in _sent(side.chain) if side.chain.chain.get(_commitment(packet)) is not None]


def books(side: Side) -> Books:
    """Where the coins of `side`'s chain are, from both chains' state."""
    end, far = side.end, side.other_end
    own = native(side.chain.denom)
    abroad = voucher(own, far.port_id, far.channel_id)
    leaving = _underway(side, own.path)
    coming = _underway(_flipped(side), abroad.path)
    return Books(
        side.chain.denom,
        _supply(side.chain, own.coin_denom),
        FUNDS * len(side.chain.users),
        _balance(side.chain, escrow_address(end.port_id, end.channel_id), own.coin_denom),
        _supply(side.other, abroad.coin_denom),
        leaving + coming,
    )


def _flipped(side: Side) -> Side:
    return Side(side.other, side.other_end, side.chain, side.end)


def _underway(side: Side, path: str) -> int:
    """The sum in open packets of `side` that carry the denomination `path` and that nobody received yet."""
    total = 0
    for packet in open_packets(side):
        data = decode(packet.data)
        if data.denom == parse_denom(path) and side.other.chain.get(_receipt(packet)) is None:
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


def _commitment(packet: Packet) -> bytes:
    return packet_commitment_path(packet.port_id_on_a, packet.channel_id_on_a, packet.sequence)


def _receipt(packet: Packet) -> bytes:
    return packet_receipt_path(packet.port_id_on_b, packet.channel_id_on_b, packet.sequence)


def _supply(chain: DemoChain, denom: str) -> int:
    return chain.chain.app.bank.supply(chain.chain.app.query_context(), denom)


def _balance(chain: DemoChain, address: bytes, denom: str) -> int:
    return chain.chain.app.bank.balance(chain.chain.app.query_context(), address, denom)
