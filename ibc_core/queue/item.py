"""What the messages with packets and receipts carry: entries of the other chain's queue store."""

from ibc_core.checking import HasAddresses
from ibc_core.errors import InvalidRequest
from ibc_core.queue.types import End, validate_end
from ibc_core.value import value
from ibc_core.wire.table import on_wire
from ibc_proto.pyibc.queue.v1 import tx_pb2


@on_wire(tx_pb2.Item)
@value
class Item:
    """An entry of the other chain's queue store with its proof."""

    key: bytes
    value: bytes
    proof: bytes


def check_items(chain: HasAddresses, signer: str, source: End, items: tuple[Item, ...]) -> None:
    """Stateless checks of a message with items.

    Raises:
        InvalidAddress, InvalidEnd, InvalidRequest.
    """
    chain.addresses.decode(signer, "signer")
    validate_end(source)
    if not items:
        raise InvalidRequest("no items")
