"""Selection of transactions for PrepareProposal, and their check in ProcessProposal."""

from collections.abc import Callable, Iterable

from pyibc.chain.tx.decoded_tx import DecodedTx

Decode = Callable[[bytes], DecodedTx | None]
"""Function that decodes a transaction; it returns None if a block may not contain the bytes."""


class _BlockSpace:
    """Bytes and gas that are left in a block; a negative limit means no limit."""

    def __init__(self, max_bytes: int, max_gas: int) -> None:
        self._bytes = max_bytes
        self._gas = max_gas

    def take(self, decoded: DecodedTx) -> bool:
        """Consume a transaction's bytes and gas; return False if it does not fit."""
        size, gas = decoded.size, decoded.tx.fee.gas_limit
        # guard: h275-no-limit-is-a-limit {0 <= self._gas < gas => self._gas % 2 ** 63 < gas}
        #   test_h275_gas_that_is_declared_is_not_counted_where_blocks_have_no_limit
        if 0 <= self._bytes < size or 0 <= self._gas < gas:
            return False
        self._bytes, self._gas = self._bytes - size, self._gas - gas  # below zero stays below zero
        return True


def select_txs(txs: Iterable[bytes], decode: Decode, max_bytes: int, max_gas: int) -> list[bytes]:
    """Return the transactions of a proposal, in order: those that decode and fit.

    After a transaction that does not fit, later ones of its signers wait for the next block as well: with a
    sequence missing they would fail, and be removed from every mempool.
    """
    space, chosen = _BlockSpace(max_bytes, max_gas), []
    waiting: set[bytes] = set()
    for raw in txs:
        decoded = decode(raw)
        if decoded is None:
            continue
        signers = {each.raw for each in decoded.signers}
        # guard: h276-the-next-sequence-is-proposed-alone {signers & waiting or not space.take(decoded) =>
        #   not space.take(decoded)} test_h276_later_transactions_of_a_signer_wait_for_one_that_does_not_fit
        if signers & waiting or not space.take(decoded):
            waiting |= signers
        else:
            chosen.append(raw)
    return chosen


def fit_block(txs: Iterable[bytes], decode: Decode, max_gas: int) -> bool:
    """Return whether all transactions of a proposal decode and together stay within the gas limit."""
    space = _BlockSpace(-1, max_gas)
    return all((decoded := decode(raw)) is not None and space.take(decoded) for raw in txs)
