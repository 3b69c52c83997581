"""Messages of the queue protocol, and the store entries with proofs that they carry."""

from typing import Annotated

from pyibc.core.checking import HasAddresses
from pyibc.core.errors import InvalidRequest
from pyibc.core.height import Height
from pyibc.core.identifiers import parse_client_id, validate_client_id
from pyibc.core.value import value
from pyibc.core.wire.columns import Proof, Signer, Wire
from pyibc.core.wire.message import Msg, message, response
from pyibc.core.wire.table import on_wire
from pyibc.proto.pyibc.queue.v1 import tx_pb2
from pyibc.queues.errors import InvalidEnd
from pyibc.queues.packet import MAX_HEIGHT, check_packet
from pyibc.queues.types import STORE_NAME, End, validate_end


@on_wire(tx_pb2.Item)
@value
class Item:
    """Entry of the other chain's queue store, with its proof."""

    key: bytes
    value: bytes
    proof: bytes


def check_items(chain: HasAddresses, signer: str, source: End, items: tuple[Item, ...]) -> None:
    """Run the stateless checks of a message with items.

    Raises:
        InvalidAddress: the signer is not an address.
        InvalidEnd: the source is malformed.
        InvalidRequest: there are no items.
    """
    chain.addresses.decode(signer, "signer")
    validate_end(source)
    if not items:
        raise InvalidRequest("no items")


MAX_STORE_NAME_SIZE = 64
DEFAULT_STORE = STORE_NAME.encode()


@message(tx_pb2.MsgRegister)
@value
class MsgRegister(Msg):
    """Registers a remote end with its client and creates its queues."""

    client_id: str
    local: End
    remote: End
    remote_store: bytes  # empty: `queue`
    signer: Signer

    def check(self, chain: HasAddresses) -> None:
        """Run the stateless checks.

        Raises:
            InvalidAddress: the signer is not an address.
            InvalidIdentifier: the client identifier is malformed.
            InvalidEnd: an end is malformed, or the ends are at different levels.
            InvalidRequest: the store name is too long.
        """
        chain.addresses.decode(self.signer, "signer")
        validate_client_id(self.client_id)
        parse_client_id(self.client_id)
        validate_end(self.local)
        validate_end(self.remote)
        if self.local.is_channel != self.remote.is_channel:
            raise InvalidEnd(self.remote.text, f"{self.local.text!a} is at another level")
        if len(self.remote_store) > MAX_STORE_NAME_SIZE:
            raise InvalidRequest(
                f"{len(self.remote_store)} bytes of remote_store exceed {MAX_STORE_NAME_SIZE}"
            )


@message(tx_pb2.MsgSend, response(tx_pb2.MsgSendResponse, "sequence"))
@value
class MsgQueueSend(Msg):
    """Sends a packet."""

    source: End
    destination: End
    sequence: int | None  # None: the next one
    type: str
    data: bytes
    max_height: Annotated[Height, Wire("max_height", MAX_HEIGHT)]  # 0-0: none
    max_time_ns: Annotated[int, Wire("max_time")]  # unix nanoseconds; 0: none
    signer: Signer

    def check(self, chain: HasAddresses) -> None:
        """Run the stateless checks.

        Raises:
            InvalidAddress: the signer is not an address.
            InvalidEnd: an end is malformed.
            InvalidQueuePacket, InvalidRequest: see `check_packet`.
        """
        chain.addresses.decode(self.signer, "signer")
        validate_end(self.source)
        validate_end(self.destination)
        check_packet(self.type, self.data, self.max_height, self.max_time_ns)


@message(tx_pb2.MsgReceive)
@value
class MsgReceive(Msg):
    """Delivers packets of `source`, in order, proven by one header."""

    source: End
    proof_height: Height
    items: tuple[Item, ...]
    signer: Signer

    def check(self, chain: HasAddresses) -> None:
        """Run the stateless checks.

        Raises:
            InvalidAddress, InvalidEnd, InvalidRequest: see `check_items`.
        """
        check_items(chain, self.signer, self.source, self.items)


@message(tx_pb2.MsgHandleReceipt)
@value
class MsgHandleReceipt(Msg):
    """Delivers receipts of `source`, in order, proven by one header."""

    source: End
    proof_height: Height
    items: tuple[Item, ...]
    signer: Signer

    def check(self, chain: HasAddresses) -> None:
        """Run the stateless checks.

        Raises:
            InvalidAddress, InvalidEnd, InvalidRequest: see `check_items`.
        """
        check_items(chain, self.signer, self.source, self.items)


@message(tx_pb2.MsgTimeout)
@value
class MsgQueueTimeout(Msg):
    """Rolls back expired packets; the absence of the first one's receipt proves that none was received."""

    destination: End
    sequence: int  # of the first packet
    count: int
    proof_height: Height
    proof: Proof
    signer: Signer

    def check(self, chain: HasAddresses) -> None:
        """Run the stateless checks.

        Raises:
            InvalidAddress: the signer is not an address.
            InvalidEnd: the destination is malformed.
            InvalidRequest: the count is 0.
        """
        chain.addresses.decode(self.signer, "signer")
        validate_end(self.destination)
        if not self.count:
            raise InvalidRequest("the count is 0")


@message(tx_pb2.MsgAdvance)
@value
class MsgAdvance(Msg):
    """Proves that `source` has handled all packets below `head`; removes receipts below `to`."""

    source: End
    head: int
    to: int
    proof_height: Height
    proof: Proof
    signer: Signer

    def check(self, chain: HasAddresses) -> None:
        """Run the stateless checks.

        Raises:
            InvalidAddress: the signer is not an address.
            InvalidEnd: the source is malformed.
            InvalidRequest: `to` is above `head`.
        """
        chain.addresses.decode(self.signer, "signer")
        validate_end(self.source)
        if self.to > self.head:
            raise InvalidRequest(f"to {self.to} is beyond the head {self.head}")
