"""Outcomes of transactions that a test expects to succeed."""

from pyibc.core.host.block import TxOutcome


def must(outcome: TxOutcome) -> TxOutcome:
    """Return the outcome if it is a success.

    Raises:
        RuntimeError: the transaction failed.
    """
    if outcome.code:
        raise RuntimeError(f"failed: {outcome.codespace}/{outcome.code} {outcome.log}")
    return outcome
