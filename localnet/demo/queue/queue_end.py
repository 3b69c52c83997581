"""One end of the demo's queues, over which its users send coins."""

from typing import NamedTuple

from ibc_core.any_message import AnyMessage
from ibc_core.queue.packet import Registration
from ibc_core.queue.send import MsgQueueSend
from ibc_core.wire.message import pack_msg
from ibc_module.apps.queue_coins.denom import QueueDenom, encode_transfer
from ibc_module.apps.queue_coins.denom import Transfer as CoinsData
from ibc_module.apps.queue_coins.plugin import COINS
from ibc_relayer.queue.path import QueuePath
from ibc_relayer.wallet import Wallet
from localnet.demo.chains import DemoChain
from localnet.demo.user_transfers import Transfer


class DemoQueueEnd(NamedTuple):
    """One chain, its registered end, and the counterparty chain (`user_transfers.DemoEnd`)."""

    chain: DemoChain
    registration: Registration
    counterparty: DemoChain
    counterparty_registration: Registration

    def message(self, user: Wallet, transfer: Transfer) -> AnyMessage:
        """The MsgSend of a packet with coins."""
        denom = QueueDenom(transfer.denom) if transfer.denom == self.chain.denom else self.foreign_denom()
        data = CoinsData(denom, transfer.amount, user.address.text, transfer.receiver)
        message = MsgQueueSend(
            self.registration.local,
            self.registration.remote,
            None,
            COINS,
            encode_transfer(data),
            transfer.timeout,
            0,
            user.address.text,
        )
        return pack_msg(message)

    def foreign_denom(self) -> QueueDenom:
        """The counterparty's native denomination on this chain."""
        return QueueDenom(self.counterparty.denom).received_from(self.registration.remote)

    def foreign_voucher(self) -> str:
        """The bank denomination of the counterparty's coins on this chain."""
        return self.foreign_denom().name

    def flipped(self) -> "DemoQueueEnd":
        """The same queues as the counterparty sees them."""
        return DemoQueueEnd(self.counterparty, self.counterparty_registration, self.chain, self.registration)


def demo_ends(a: DemoChain, b: DemoChain, path: QueuePath) -> tuple[DemoQueueEnd, DemoQueueEnd]:
    """Both ends of the queue path."""
    end = DemoQueueEnd(a, path.a, b, path.b)
    return end, end.flipped()
