"""Denominations with their trace: the ends they were received from.

A voucher's name is `queue/` and the SHA-256 of its spelling in hexadecimal: coins of one name that came from
two ends are two coins (H40).
"""

from hashlib import sha256
from typing import NamedTuple

from google.protobuf.message import DecodeError

from ibc_core.coin import is_denom
from ibc_core.errors import InvalidCoins, InvalidRequest
from ibc_core.kept import kept
from ibc_core.numbers import MAX_U256
from ibc_core.queue.types import End, parse_end
from ibc_core.value import sealed
from ibc_proto.pyibc.queue_coins.v1 import coins_pb2 as pb

PREFIX = "queue/"
MAX_HOPS = 16


@sealed
class QueueDenom(NamedTuple):
    """A base denomination, and the ends it was received from, the last first."""

    base: str
    hops: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The coin's name on the chain that holds it."""
        return PREFIX + _digest(self).hex().upper() if self.hops else self.base

    def came_from(self, end: End) -> bool:
        """Whether it was received from `end`, so that sending it there returns it."""
        return bool(self.hops) and self.hops[0] == end.text

    def received_from(self, end: End) -> "QueueDenom":
        """Its voucher on a chain that receives it from `end`."""
        return QueueDenom(self.base, (end.text, *self.hops))

    def home(self) -> "QueueDenom":
        """The denomination before its last hop."""
        return QueueDenom(self.base, self.hops[1:])


@kept(4096)
def _digest(denom: QueueDenom) -> bytes:
    return sha256(encode_denom(denom)).digest()


@sealed
class Transfer(NamedTuple):
    """Data of a packet of coins."""

    denom: QueueDenom  # as the sending chain has it
    amount: int
    sender: str  # address on the sending chain
    receiver: str  # address on the receiving chain


def encode_denom(denom: QueueDenom) -> bytes:
    """`pyibc.queue_coins.v1.Denom`."""
    return pb.Denom(base=denom.base, hops=denom.hops).SerializeToString(deterministic=True)


def decode_denom(raw: bytes) -> QueueDenom:
    """A `Denom` of our own store."""
    wire = pb.Denom.FromString(raw)
    return QueueDenom(wire.base, tuple(wire.hops))


def encode_transfer(transfer: Transfer) -> bytes:
    """`pyibc.queue_coins.v1.Transfer`."""
    return pb.Transfer(
        denom=pb.Denom(base=transfer.denom.base, hops=transfer.denom.hops),
        amount=str(transfer.amount),
        sender=transfer.sender,
        receiver=transfer.receiver,
    ).SerializeToString(deterministic=True)


def decode_transfer(raw: bytes) -> Transfer:
    """A packet's data.

    Raises:
        InvalidRequest: it is not a `Transfer` in its one spelling.
        InvalidCoins: the coin's name, its way or the amount are impossible.
    """
    try:
        wire = pb.Transfer.FromString(raw)
    except DecodeError as error:
        raise InvalidRequest("the data is no transfer of coins") from error
    denom = QueueDenom(wire.denom.base, tuple(wire.denom.hops))
    check_denom(denom)
    transfer = Transfer(denom, _amount(wire.amount), wire.sender, wire.receiver)
    wire.DiscardUnknownFields()
    if wire.SerializeToString(deterministic=True) != raw:
        raise InvalidRequest("the data is not canonical")
    return transfer


def check_denom(denom: QueueDenom) -> None:
    """Checks that a coin is one that can be sent.

    Raises:
        InvalidCoins: its base is no coin's name or a voucher's, or its way is too long or no way.
    """
    named = is_denom(denom.base) and not denom.base.startswith(PREFIX)
    if not named or len(denom.hops) > MAX_HOPS or any(parse_end(hop) is None for hop in denom.hops):
        raise InvalidCoins(denom.base[:64])


def _amount(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 78 or text[0] == "0":
        raise InvalidCoins(text[:78])
    amount = int(text)
    if amount > MAX_U256:
        raise InvalidCoins(text)
    return amount
