"""Messages of the queue protocol as values, and their checks that need no state.

`signer` is an address as text. Proofs are MerkleProof bytes.
"""

from ibc_core.address import AddressCodec
from ibc_core.errors import InvalidRequest
from ibc_core.errors.queue import InvalidEnd
from ibc_core.height import Height
from ibc_core.identifiers import parse_client_id, validate_client_id
from ibc_core.queue.packet import check_packet
from ibc_core.queue.types import STORE_NAME, End, validate_end
from ibc_core.value import value

MAX_STORE_NAME_SIZE = 64
DEFAULT_STORE = STORE_NAME.encode()


@value
class MsgRegister:
    """Makes the queues of a remote end, and says which client vouches for it."""

    client_id: str
    local: End
    remote: End
    remote_store: bytes  # empty: `queue`
    signer: str


@value
class MsgQueueSend:
    """Sends a packet."""

    source: End
    destination: End
    sequence: int | None  # None: the next one
    type: str
    data: bytes
    max_height: Height  # 0-0: none
    max_time_ns: int  # unix nanoseconds; 0: none
    signer: str


@value
class Item:
    """An entry of the other chain's queue store with its proof."""

    key: bytes
    value: bytes
    proof: bytes


@value
class MsgReceive:
    """Packets of `source`, in order, proven by one header."""

    source: End
    proof_height: Height
    items: tuple[Item, ...]
    signer: str


@value
class MsgHandleReceipt:
    """Receipts of `source`, in order, proven by one header."""

    source: End
    proof_height: Height
    items: tuple[Item, ...]
    signer: str


@value
class MsgQueueTimeout:
    """Takes expired packets back; the absence of the first one's receipt shows that none was received."""

    destination: End
    sequence: int  # of the first
    count: int
    proof_height: Height
    proof: bytes
    signer: str


@value
class MsgAdvance:
    """Shows that `source` has done with all packets below `head`; our receipts below `to` go."""

    source: End
    head: int
    to: int
    proof_height: Height
    proof: bytes
    signer: str


def check_register(msg: MsgRegister, addresses: AddressCodec) -> None:
    """Stateless checks of MsgRegister.

    Raises:
        InvalidAddress, InvalidIdentifier, InvalidEnd, InvalidRequest.
    """
    addresses.decode(msg.signer, "signer")
    validate_client_id(msg.client_id)
    parse_client_id(msg.client_id)
    validate_end(msg.local)
    validate_end(msg.remote)
    if msg.local.is_channel != msg.remote.is_channel:
        raise InvalidEnd(msg.remote.text, f"{msg.local.text!a} is of another level")
    if len(msg.remote_store) > MAX_STORE_NAME_SIZE:
        raise InvalidRequest(f"{len(msg.remote_store)} bytes of remote_store exceed {MAX_STORE_NAME_SIZE}")


def check_send(msg: MsgQueueSend, addresses: AddressCodec) -> None:
    """Stateless checks of MsgSend.

    Raises:
        InvalidAddress, InvalidEnd, InvalidQueuePacket, InvalidRequest.
    """
    addresses.decode(msg.signer, "signer")
    validate_end(msg.source)
    validate_end(msg.destination)
    check_packet(msg.type, msg.data, msg.max_height, msg.max_time_ns)


def check_items(msg: MsgReceive | MsgHandleReceipt, addresses: AddressCodec) -> None:
    """Stateless checks of MsgReceive and MsgHandleReceipt.

    Raises:
        InvalidAddress, InvalidEnd, InvalidRequest.
    """
    addresses.decode(msg.signer, "signer")
    validate_end(msg.source)
    if not msg.items:
        raise InvalidRequest("no items")


def check_timeout(msg: MsgQueueTimeout, addresses: AddressCodec) -> None:
    """Stateless checks of MsgTimeout.

    Raises:
        InvalidAddress, InvalidEnd, InvalidRequest.
    """
    addresses.decode(msg.signer, "signer")
    validate_end(msg.destination)
    if not msg.count:
        raise InvalidRequest("count 0")


def check_advance(msg: MsgAdvance, addresses: AddressCodec) -> None:
    """Stateless checks of MsgAdvance.

    Raises:
        InvalidAddress, InvalidEnd, InvalidRequest.
    """
    addresses.decode(msg.signer, "signer")
    validate_end(msg.source)
    if msg.to > msg.head:
        raise InvalidRequest(f"to {msg.to} is beyond the head {msg.head}")
