"""One end of the demo's ICS-20 channel."""

from typing import NamedTuple

from ibc_core.any_message import AnyMessage
from ibc_core.transfer.msg_transfer import MsgTransfer
from ibc_core.wire.message import pack_msg
from ibc_module.apps.transfer.coins import voucher
from ibc_module.apps.transfer.denom import native
from ibc_relayer.path import Path, PathEnd
from ibc_relayer.wallet import Wallet
from localnet.demo.chains import DemoChain
from localnet.demo.user_transfers import Transfer


class ChannelSide(NamedTuple):
    """One chain, its end of the path, and the counterparty chain (`user_transfers.Side`)."""

    chain: DemoChain
    end: PathEnd
    other: DemoChain
    other_end: PathEnd

    def message(self, user: Wallet, transfer: Transfer) -> AnyMessage:
        """The MsgTransfer that makes a transfer."""
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
        return pack_msg(message)

    def foreign_voucher(self) -> str:
        """The denomination of the counterparty's native coin on this chain."""
        return voucher(native(self.other.denom), self.end.port_id, self.end.channel_id).coin_denom

    def flipped(self) -> "ChannelSide":
        """The same channel from the counterparty's side."""
        return ChannelSide(self.other, self.other_end, self.chain, self.end)


def sides(a: DemoChain, b: DemoChain, path: Path) -> tuple[ChannelSide, ChannelSide]:
    """Both ends of the path."""
    side = ChannelSide(a, path.a, b, path.b)
    return side, side.flipped()
