"""Messages of ICS-20: MsgTransfer and MsgUpdateParams."""

from typing import Annotated

from pyibc.apps.transfer.denom import validate_ibc_denom
from pyibc.core.checking import HasAddresses
from pyibc.core.coin import parse_amount
from pyibc.core.errors import InvalidAddress, InvalidCoins, InvalidMemo, TxDecode
from pyibc.core.height import Height
from pyibc.core.identifiers import is_blank, validate_channel_id, validate_port_id
from pyibc.core.value import value
from pyibc.core.wire.columns import Codec, Signer, Wire
from pyibc.core.wire.message import Msg, message, response
from pyibc.proto.ibc.applications.transfer.v1 import tx_pb2

MAX_MEMO_SIZE = 32_768
"""Maximal size of a memo in bytes, for sending and receiving."""


def check_memo(memo: str) -> None:
    """Check a memo's size; applies to MsgTransfer and to received packets.

    Raises:
        InvalidMemo: it has more than 32,768 bytes.
    """
    size = len(memo) if memo.isascii() else len(memo.encode())
    if size > MAX_MEMO_SIZE:
        raise InvalidMemo(size, MAX_MEMO_SIZE)


MAX_RECEIVER_SIZE = 2048


def _read_amount(text: str) -> str:
    """Check an amount as Go's decoder does: empty, or an integer below 2^256."""
    if text and parse_amount(text) is None:
        raise TxDecode(f"amount {text[:100]!a}")
    return text


@message(tx_pb2.MsgTransfer, response(tx_pb2.MsgTransferResponse, "sequence"))
@value
class MsgTransfer(Msg):
    """Sends coins over a channel, or over an IBC v2 client if no channel has this identifier (ics20-1).

    Over a client `timeout_ns_on_b` is in unix seconds, as ibc-go's `timeout_timestamp`.
    """

    source_port: str
    source_channel: str
    denom: Annotated[str, Wire("token.denom")]
    amount: Annotated[str, Wire("token.amount", Codec(_read_amount, None))]  # decimal, as on the wire
    sender: Signer
    receiver: str
    timeout_height_on_b: Annotated[Height, Wire("timeout_height")]
    timeout_ns_on_b: Annotated[int, Wire("timeout_timestamp")]  # unix nanoseconds; over a client: seconds
    memo: str
    encoding: str = ""  # of the payload, over a client; "": JSON

    def check(self, chain: HasAddresses) -> None:  # noqa: ARG002 - ibc-go reads the sender later
        """Run the stateless checks.

        Raises:
            InvalidIdentifier: port or channel is malformed.
            InvalidCoins: the amount is not positive, or the denomination malformed.
            InvalidAddress: sender or receiver is blank, or the receiver longer than 2048 bytes.
            InvalidMemo: the memo is too long.
        """
        validate_port_id(self.source_port)
        validate_channel_id(self.source_channel)
        amount = parse_amount(self.amount)
        validate_ibc_denom(self.denom)
        if amount is None or amount <= 0:
            raise InvalidCoins(f"{self.amount[:78]}{self.denom}")
        if is_blank(self.sender):
            raise InvalidAddress("sender", "")
        if is_blank(self.receiver):
            raise InvalidAddress("receiver", "")
        if len(self.receiver.encode()) > MAX_RECEIVER_SIZE:
            raise InvalidAddress("receiver", self.receiver[:64])
        check_memo(self.memo)


@message(tx_pb2.MsgUpdateParams)
@value
class MsgUpdateTransferParams(Msg):
    """Replaces all parameters; signed by the authority."""

    send_enabled: Annotated[bool, Wire("params.send_enabled")]
    receive_enabled: Annotated[bool, Wire("params.receive_enabled")]
    signer: Signer

    def check(self, chain: HasAddresses) -> None:
        """Run the stateless checks.

        Raises:
            InvalidAddress: the signer is no address.
        """
        chain.addresses.decode(self.signer, "signer")
