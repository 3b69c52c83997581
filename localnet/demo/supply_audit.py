"""Audit of the chains' final state: open packets, and the distribution of coins."""

from typing import NamedTuple

from localnet.demo.chains import DemoChain
from localnet.demo.report import SupplyAudit, funded_supply
from localnet.demo.user_transfers import SentTransfer
from pyibc.apps.transfer.coins import escrow_address, voucher
from pyibc.apps.transfer.denom import native, parse_denom
from pyibc.apps.transfer.messages import MsgTransfer
from pyibc.apps.transfer.packet_data import decode
from pyibc.codec.anys import AnyMessage
from pyibc.core.packet.events import SEND_PACKET, read_packet_event
from pyibc.core.packet.types import Packet
from pyibc.core.paths import packet_commitment_path, packet_receipt_path
from pyibc.core.wire.message import pack_msg
from pyibc.relayer.money.wallet import Wallet
from pyibc.relayer.paths.path import Path, PathEnd

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


def demo_ends(a: DemoChain, b: DemoChain, path: Path) -> tuple[DemoChannelEnd, DemoChannelEnd]:
    """Return both ends of the path."""
    end = DemoChannelEnd(a, path.a, b, path.b)
    return end, end.flipped()


# -- the audit


def open_packets(end: DemoChannelEnd) -> list[Packet]:
    """Return the packets that this chain sent and that were neither acknowledged nor timed out."""
    return [packet for packet in _sent(end.chain) if end.chain.chain.get(_commitment(packet)) is not None]


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
