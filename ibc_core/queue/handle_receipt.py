"""MsgHandleReceipt of the queue protocol."""

from ibc_core.checking import HasAddresses
from ibc_core.height import Height
from ibc_core.queue.item import Item, check_items
from ibc_core.queue.types import End
from ibc_core.value import value
from ibc_core.wire.columns import Signer
from ibc_core.wire.message import Msg, message
from ibc_proto.pyibc.queue.v1 import tx_pb2


@message(tx_pb2.MsgHandleReceipt)
@value
class MsgHandleReceipt(Msg):
    """Receipts of `source`, in order, proven by one header."""

    source: End
    proof_height: Height
    items: tuple[Item, ...]
    signer: Signer

    def check(self, chain: HasAddresses) -> None:
        """Stateless checks.

        Raises:
            InvalidAddress, InvalidEnd, InvalidRequest.
        """
        check_items(chain, self.signer, self.source, self.items)
