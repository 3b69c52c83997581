"""The mempool: pending transactions, first in, first out."""

from collections.abc import Callable, Iterable

from pyibc.chain.tx.runner import failed_tx
from pyibc.core.errors import InvalidSdkRequest, TxInMempool
from pyibc.core.host.block import TxOutcome, tx_hash
from pyibc.core.host.gas import GasMeter

_MAX_TXS = 5_000
_MAX_BYTES = 1 << 30


class Mempool:
    """Pending transactions that passed CheckTx, limited in number and bytes (CometBFT's defaults)."""

    def __init__(self, check: Callable[[bytes, bool], TxOutcome]) -> None:
        """Take the CheckTx function, of transaction bytes and a recheck flag."""
        self._check = check
        self._waiting: dict[bytes, bytes] = {}
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, raw: bytes) -> TxOutcome:
        """Check a transaction and add it if it passes; return the result of the check."""
        digest = tx_hash(raw)
        if digest in self._waiting:
            return failed_tx(raw, TxInMempool(), 0, GasMeter())
        if len(self._waiting) >= _MAX_TXS or self._bytes + len(raw) > _MAX_BYTES:
            return failed_tx(raw, InvalidSdkRequest("mempool is full"), 0, GasMeter())
        outcome = self._check(raw, False)
        if outcome.code == 0:
            self._waiting[digest] = raw
            self._bytes += len(raw)
        return outcome

    def waiting(self) -> list[bytes]:
        """Return all pending transactions, in order."""
        return list(self._waiting.values())

    def after_block(self, txs: Iterable[bytes]) -> None:
        """Remove the transactions of a block, and those that fail a recheck on the new state."""
        for raw in txs:
            self._drop(tx_hash(raw))
        for digest, raw in list(self._waiting.items()):
            if self._check(raw, True).code:
                self._drop(digest)

    def _drop(self, digest: bytes) -> None:
        raw = self._waiting.pop(digest, None)
        if raw is not None:
            self._bytes -= len(raw)
