"""One end of the demo's channel: what its users send ICS-20 over."""

from typing import NamedTuple

from ibc_core.messages import AnyMessage
from ibc_core.transfer.types import MsgTransfer
from ibc_core.wire.messages.transfer import TRANSFER, encode_transfer
from ibc_module.apps.transfer.denom import native, voucher
from ibc_relayer.path import Path, PathEnd
from ibc_relayer.wallet import Wallet
from localnet.demo.chains import DemoChain
from localnet.demo.user_transfers import Transfer


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
