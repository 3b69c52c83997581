"""Denominations with their trace: the ends they came through.

A voucher's name is `queue/` and the SHA-256 of its encoding in hexadecimal: coins with the same base that
came from two ends are two coins (H40).
"""

from hashlib import sha256
from typing import NamedTuple

from google.protobuf.message import DecodeError

from pyibc.core.coin import is_denom
from pyibc.core.errors import InvalidCoins, InvalidRequest
from pyibc.core.memo import memoize
from pyibc.core.numbers import MAX_U256
from pyibc.core.value import sealed
from pyibc.proto.pyibc.queue_coins.v1 import coins_pb2 as pb
from pyibc.queues.types import End, parse_end

PREFIX = "queue/"
MAX_HOPS = 16


@sealed
class QueueDenom(NamedTuple):
    """Base denomination and the ends it came through, the last one first."""

    base: str
    hops: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Bank's name of the coin on the chain that holds it."""
        return PREFIX + _digest(self).hex().upper() if self.hops else self.base

    def came_from(self, end: End) -> bool:
        """Return whether the coin was received from `end`, so that sending it there returns it."""
        return bool(self.hops) and self.hops[0] == end.text

    def received_from(self, end: End) -> "QueueDenom":
        """Return the denomination on a chain that receives the coin from `end`."""
        return QueueDenom(self.base, (end.text, *self.hops))

    def home(self) -> "QueueDenom":
        """Return the denomination without its last hop."""
        return QueueDenom(self.base, self.hops[1:])


@memoize(4096)
def _digest(denom: QueueDenom) -> bytes:
    return sha256(encode_denom(denom)).digest()


@sealed
class CoinTransfer(NamedTuple):
    """Data of a coin packet."""

    denom: QueueDenom  # on the sending chain
    amount: int
    sender: str  # address on the sending chain
    receiver: str  # address on the receiving chain


def encode_denom(denom: QueueDenom) -> bytes:
    """Encode as `pyibc.queue_coins.v1.Denom`."""
    return pb.Denom(base=denom.base, hops=denom.hops).SerializeToString(deterministic=True)


def decode_denom(raw: bytes) -> QueueDenom:
    """Decode a `Denom` of this chain's store."""
    wire = pb.Denom.FromString(raw)
    return QueueDenom(wire.base, tuple(wire.hops))


def encode_transfer(transfer: CoinTransfer) -> bytes:
    """Encode as `pyibc.queue_coins.v1.Transfer`."""
    return pb.Transfer(
        denom=pb.Denom(base=transfer.denom.base, hops=transfer.denom.hops),
        amount=str(transfer.amount),
        sender=transfer.sender,
        receiver=transfer.receiver,
    ).SerializeToString(deterministic=True)


def decode_transfer(raw: bytes) -> CoinTransfer:
    """Decode and check the data of a packet.

    Raises:
        InvalidRequest: it is not a `Transfer` in canonical form.
        InvalidCoins: the denomination or the amount is invalid.
    """
    try:
        wire = pb.Transfer.FromString(raw)
    except DecodeError as error:
        raise InvalidRequest("the data is not a coin transfer") from error
    denom = QueueDenom(wire.denom.base, tuple(wire.denom.hops))
    check_denom(denom)
    transfer = CoinTransfer(denom, _amount(wire.amount), wire.sender, wire.receiver)
    wire.DiscardUnknownFields()
    if wire.SerializeToString(deterministic=True) != raw:
        raise InvalidRequest("the data is not canonical")
    return transfer


def check_denom(denom: QueueDenom) -> None:
    """Check that a denomination can be sent.

    Raises:
        InvalidCoins: the base is not a coin's name, or is a voucher's; a hop is malformed; or there are
            more than 16.
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
