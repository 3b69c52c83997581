"""MsgTransfer (ICS-20)."""

from typing import Annotated

from ibc_core.checking import HasAddresses
from ibc_core.coin import parse_amount
from ibc_core.errors import InvalidAddress, InvalidCoins, InvalidMemo, TxDecode
from ibc_core.height import Height
from ibc_core.identifiers import is_blank, validate_channel_id, validate_port_id
from ibc_core.transfer.names import validate_ibc_denom
from ibc_core.value import value
from ibc_core.wire.columns import Codec, Signer, Wire
from ibc_core.wire.message import Msg, message, response
from ibc_proto.ibc.applications.transfer.v1 import tx_pb2

MAX_MEMO_SIZE = 32_768
"""Bytes of a memo that may be sent or received."""


def check_memo(memo: str) -> None:
    """Checks a memo's size: what may be sent, and what chain B checks on top of decoding.

    Raises:
        InvalidMemo: more than 32,768 bytes.
    """
    size = len(memo) if memo.isascii() else len(memo.encode())
    if size > MAX_MEMO_SIZE:
        raise InvalidMemo(size, MAX_MEMO_SIZE)


MAX_RECEIVER_SIZE = 2048


def _read_amount(text: str) -> str:
    """The amount as text; Go's decoder wants an integer below 2^256, or nothing."""
    if text and parse_amount(text) is None:
        raise TxDecode(f"amount {text[:100]!a}")
    return text


@message(tx_pb2.MsgTransfer, response(tx_pb2.MsgTransferResponse, "sequence"))
@value
class MsgTransfer(Msg):
    """Sends coins (ics20-1): over a channel, or over a client of IBC v2 where no channel has the name.

    Over a client `timeout_ns_on_b` is unix seconds, as ibc-go's `timeout_timestamp` is.
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
        """Stateless checks.

        Raises:
            InvalidIdentifier, InvalidCoins, InvalidAddress, InvalidMemo.
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
