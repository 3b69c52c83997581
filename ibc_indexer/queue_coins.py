"""What a packet of coins over queues moves (`pyibc.queue_coins.v1.Transfer`)."""

from google.protobuf.message import DecodeError

from ibc_indexer.ics20 import Transfer, checked
from ibc_proto.pyibc.queue_coins.v1 import coins_pb2

COINS = "coins"
"""Type of these packets."""


def transfer_of_coins(data: bytes) -> Transfer | None:
    """The transfer in a packet's data, None if that is something else.

    The denom is spelled as ICS-20 spells its own: the ends that the coin was received from, the last first,
    then its name at home; empty where it has no such name.
    """
    try:
        transfer = coins_pb2.Transfer.FromString(data)
    except DecodeError:
        return None
    denom = transfer.denom
    path = "/".join([*denom.hops, denom.base]) if denom.base else ""
    return checked(path, transfer.amount, transfer.sender, transfer.receiver)
