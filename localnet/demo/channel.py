"""One end of the demo's channel: what its users send ICS-20 over."""

from typing import NamedTuple

from ibc_module.apps.transfer.denom import native, voucher
from ibc_module.core.messages import AnyMessage
from ibc_module.core.transfer import MsgTransfer
from ibc_module.relayer.path import Path, PathEnd
from ibc_module.relayer.wallet import Wallet
from ibc_module.wire.messages.transfer import TRANSFER, encode_transfer
from localnet.demo.actors import DemoChain
from localnet.demo.traffic import Transfer


class ChannelSide(NamedTuple):
    """One chain, its end of the path, and the chain at the other end (`traffic.Side`)."""

    chain: DemoChain
    end: PathEnd
    other: DemoChain
    other_end: PathEnd

    def message(self, user: Wallet, transfer: Transfer) -> AnyMessage:
        """A MsgTransfer."""
        message = MsgTransfer(
            self.end.port_id,
            self.end.channel_id,
            transfer.denom,
            str(transfer.amount),
            user.address.text,
            transfer.receiver,
            transfer.timeout,
            0,
            transfer.memo,
        )
        return AnyMessage(TRANSFER, encode_transfer(message))

    def foreign_voucher(self) -> str:
        """What the other chain's coins are called here."""
        return voucher(native(self.other.denom), self.end.port_id, self.end.channel_id).coin_denom

    def flipped(self) -> "ChannelSide":
        """The other end."""
        return ChannelSide(self.other, self.other_end, self.chain, self.end)


def sides(a: DemoChain, b: DemoChain, path: Path) -> tuple[ChannelSide, ChannelSide]:
    """Both chains of the path, each with the other one in view."""
    side = ChannelSide(a, path.a, b, path.b)
    return side, side.flipped()
