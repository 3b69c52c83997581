"""Decoded transactions, and a cache so that CheckTx, proposal and block decode each only once."""

from typing import Any, NamedTuple

from ibc_core.address import Address
from ibc_core.host.routes import MessageRoute
from ibc_core.wire.tx import Tx


class RoutedMessage(NamedTuple):
    """A decoded message and its route."""

    type_url: str
    route: MessageRoute
    message: Any
    sender: str  # its first signer


class DecodedTx(NamedTuple):
    """A transaction that passed all stateless checks."""

    size: int  # of the encoded transaction, bytes
    tx: Tx
    messages: list[RoutedMessage]
    signers: list[Address]  # distinct, in message order, then the fee payer
    payer: Address  # of the fee: one of the signers, the first if the transaction names none


class DecodedTxCache:
    """Cache keyed by transaction bytes: two generations of at most `limit` bytes each."""

    def __init__(self, limit: int = 32_000_000) -> None:
        self._limit = limit
        self._bytes = 0
        self._young: dict[bytes, DecodedTx] = {}
        self._old: dict[bytes, DecodedTx] = {}

    def get(self, raw: bytes) -> DecodedTx | None:
        """The decoded transaction, or None if it is not cached."""
        return self._young.get(raw) or self._old.get(raw)

    def put(self, raw: bytes, decoded: DecodedTx) -> None:
        """Adds an entry; the oldest generation is evicted when the limit is reached."""
        if raw in self._young:
            return
        if self._bytes + len(raw) > self._limit:
            self._old, self._young, self._bytes = self._young, {}, 0
        self._young[raw] = decoded
        self._bytes += len(raw)
