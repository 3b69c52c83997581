"""Decoder of coin transfers over queues (`pyibc.queue_coins.v1.Transfer`)."""

from google.protobuf.message import DecodeError

from pyibc.indexer.ics20 import Transfer, checked
from pyibc.proto.pyibc.queue_coins.v1 import coins_pb2

COINS = "coins"
"""Packet type of coin transfers."""


def transfer_of_coins(data: bytes) -> Transfer | None:
    """Decode the transfer in packet data; None if the data is not one.

    The denom is formatted as in ICS-20: the ends over which the coin was received, last one first, then the
    base denomination; "" without a base denomination.
    """
    try:
        transfer = coins_pb2.Transfer.FromString(data)
    except DecodeError:
        return None
    denom = transfer.denom
    path = "/".join([*denom.hops, denom.base]) if denom.base else ""
    return checked(path, transfer.amount, transfer.sender, transfer.receiver)
