"""Audit of the chains' final state: open packets, and where every coin is."""

from ibc_core.packet.event_reader import SEND_PACKET, read_packet_event
from ibc_core.packet.types import Packet
from ibc_core.paths import packet_commitment_path, packet_receipt_path
from ibc_core.transfer.denom import native, parse_denom
from ibc_module.apps.transfer.coins import voucher
from ibc_module.apps.transfer.escrow import escrow_address
from ibc_module.apps.transfer.packet_data import decode
from localnet.demo.chains import DemoChain
from localnet.demo.channel_end import DemoChannelEnd
from localnet.demo.report import SupplyAudit, funded_supply


def open_packets(end: DemoChannelEnd) -> list[Packet]:
    """Packets this chain sent whose commitments remain: neither acknowledged nor timed out."""
    return [packet for packet in _sent(end.chain) if end.chain.chain.get(_commitment(packet)) is not None]


def supply_audit(end: DemoChannelEnd) -> SupplyAudit:
    """Where the coins of `end`'s chain are, read from both chains' state."""
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
    """Amount of the denomination `path` in open packets of `end` that have not been received."""
    total = 0
    for packet in open_packets(end):
        data = decode(packet.data)
        if data.denom == parse_denom(path) and end.counterparty.chain.get(_receipt(packet)) is None:
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
