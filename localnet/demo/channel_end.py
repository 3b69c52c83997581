"""One end of the demo's ICS-20 channel."""

from typing import NamedTuple

from ibc_core.any_message import AnyMessage
from ibc_core.transfer.denom import native
from ibc_core.transfer.msg_transfer import MsgTransfer
from ibc_core.wire.message import pack_msg
from ibc_module.apps.transfer.coins import voucher
from ibc_relayer.path import Path, PathEnd
from ibc_relayer.wallet import Wallet
from localnet.demo.chains import DemoChain
from localnet.demo.user_transfers import Transfer


class DemoChannelEnd(NamedTuple):
    """One chain, its end of the path, and the counterparty chain (`user_transfers.DemoEnd`)."""

    chain: DemoChain
    path_end: PathEnd
    counterparty: DemoChain
    counterparty_end: PathEnd

    def message(self, user: Wallet, transfer: Transfer) -> AnyMessage:
        """The MsgTransfer that makes a transfer."""
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
        """The denomination of the counterparty's native coin on this chain."""
        return voucher(
            native(self.counterparty.denom), self.path_end.port_id, self.path_end.channel_id
        ).coin_denom

    def flipped(self) -> "DemoChannelEnd":
        """The same channel as the counterparty sees it."""
        return DemoChannelEnd(self.counterparty, self.counterparty_end, self.chain, self.path_end)


def demo_ends(a: DemoChain, b: DemoChain, path: Path) -> tuple[DemoChannelEnd, DemoChannelEnd]:
    """Both ends of the path."""
    end = DemoChannelEnd(a, path.a, b, path.b)
    return end, end.flipped()
