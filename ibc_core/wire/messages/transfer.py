"""ICS-20's message."""

from ibc_core.coin import parse_amount
from ibc_core.errors import TxDecode
from ibc_core.transfer.types import MsgTransfer
from ibc_core.wire.encoding import encode
from ibc_core.wire.messages.packet import pack_height, unpack_height
from ibc_core.wire.strict import parse
from ibc_proto.cosmos.base.v1beta1 import coin_pb2
from ibc_proto.ibc.applications.transfer.v1 import tx_pb2

TRANSFER = "/ibc.applications.transfer.v1.MsgTransfer"


def decode_transfer(raw: bytes) -> MsgTransfer:
    """`MsgTransfer`.

    Raises:
        TxDecode: `raw` is refused; also when the amount is no integer below 2^256, which Go's decoder checks.
    """
    wire = parse(tx_pb2.MsgTransfer, raw)
    if wire.token.amount and parse_amount(wire.token.amount) is None:
        raise TxDecode(f"amount {wire.token.amount[:100]!a}")
    return MsgTransfer(
        wire.source_port,
        wire.source_channel,
        wire.token.denom,
        wire.token.amount,
        wire.sender,
        wire.receiver,
        unpack_height(wire.timeout_height),
        wire.timeout_timestamp,
        wire.memo,
        wire.encoding,
    )


def encode_transfer(msg: MsgTransfer) -> bytes:
    """`MsgTransfer`."""
    return encode(
        tx_pb2.MsgTransfer(
            source_port=msg.source_port,
            source_channel=msg.source_channel,
            token=coin_pb2.Coin(denom=msg.denom, amount=msg.amount),
            sender=msg.sender,
            receiver=msg.receiver,
            timeout_height=pack_height(msg.timeout_height_on_b),
            timeout_timestamp=msg.timeout_ns_on_b,
            memo=msg.memo,
            encoding=msg.encoding,
        )
    )
