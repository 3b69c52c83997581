"""A transaction decoded, and a memo of such: CheckTx, the proposal and the block decode it once."""

from typing import Any, NamedTuple

from ibc_core.address import Address
from ibc_core.host.routes import MessageRoute
from ibc_core.wire.tx import Tx


class RoutedMessage(NamedTuple):
    """A decoded message and who handles it."""

    type_url: str
    route: MessageRoute
    message: Any
    sender: str  # its first signer


class DecodedTx(NamedTuple):
    """A transaction that passed every check that needs no state."""

    size: int  # bytes of the whole
    tx: Tx
    messages: list[RoutedMessage]
    signers: list[Address]  # each once, in the order the messages name them, then the fee's payer


class DecodedTxCache:
    """Decoding is a pure function of a transaction's bytes. Two generations of at most `limit` bytes."""

    def __init__(self, limit: int = 32_000_000) -> None:
        self._limit = limit
        self._bytes = 0
        self._young: dict[bytes, DecodedTx] = {}
        self._old: dict[bytes, DecodedTx] = {}

    def get(self, raw: bytes) -> DecodedTx | None:
        """What `raw` was decoded to, if it is still known."""
        return self._young.get(raw) or self._old.get(raw)

    def put(self, raw: bytes, decoded: DecodedTx) -> None:
        """Remembers; the oldest are forgotten."""
        if self._bytes + len(raw) > self._limit:
            self._old, self._young, self._bytes = self._young, {}, 0
        self._young[raw] = decoded
        self._bytes += len(raw)
