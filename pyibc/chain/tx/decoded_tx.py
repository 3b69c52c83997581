"""Decoded transactions, cached so that CheckTx, proposal and block decode each transaction only once."""

from typing import Any, NamedTuple

from pyibc.codec.budget import Budget
from pyibc.core.address import Address
from pyibc.core.host.context import MessageRoute
from pyibc.core.wire.tx import Tx


class RoutedMessage(NamedTuple):
    """A decoded message and its route."""

    type_url: str
    route: MessageRoute
    message: Any
    sender: str  # first signer


class DecodedTx(NamedTuple):
    """A transaction that passed all stateless checks."""

    size: int  # of the encoded transaction, bytes
    tx: Tx
    messages: list[RoutedMessage]
    signers: list[Address]  # distinct, in message order, then the fee payer
    payer: Address  # fee payer: one of the signers, the first if the transaction names none
    weight: int  # upper bound of its memory in bytes; see `weight_of`


MOST_BYTES = 128 << 20
"""Size limit of the cache of decoded transactions, in bytes of memory."""

_PER_BYTE = 8
"""Bytes of memory per encoded byte: each byte is in the transaction, its body, an Any and a message, and in
decoded text, which takes four bytes per character if one is beyond 16 bits."""

_PER_ELEMENT = 500
"""Bytes of memory per message in a repeated field: the object, its fields, and its list slot."""


def weight_of(size: int, budget: Budget) -> int:
    """Return an upper bound of the memory of a decoded transaction of `size` bytes that spent `budget`."""
    return _PER_BYTE * size + _PER_ELEMENT * budget.elements
