"""What a packet of coins over queues moves (`pyibc.queue_coins.v1.Transfer`)."""

from ibc_indexer import protobuf
from ibc_indexer.errors import MalformedProtobuf
from ibc_indexer.ics20 import Transfer, checked

COINS = "coins"
"""Type of these packets."""


def transfer_of_coins(data: bytes) -> Transfer | None:
    """The transfer in a packet's data, None if that is something else.

    The denom is spelled as ICS-20 spells its own: the ends that the coin was received from, the last first,
    then its name at home.
    """
    try:
        transfer = protobuf.message(data)  # denom=1, amount=2
        return checked(_spelled(protobuf.octets(transfer, 1)), protobuf.text(transfer, 2))
    except (MalformedProtobuf, UnicodeDecodeError):
        return None


def _spelled(denom: bytes) -> str:
    """Denom{base=1, hops=2}; empty where it has no base."""
    base = protobuf.text(protobuf.message(denom), 1)
    hops = [hop.decode() for number, hop in protobuf.fields(denom) if number == 2 and isinstance(hop, bytes)]
    return "/".join([*hops, base]) if base else ""
