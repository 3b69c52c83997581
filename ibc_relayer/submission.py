"""Submits one transaction and interprets the result."""

from collections.abc import Sequence

from ibc_core.any_message import AnyMessage
from ibc_core.errors import (
    IbcError,
    InsufficientFee,
    NotEnoughTrust,
    RedundantTx,
    UnknownAccount,
    WrongSequence,
)
from ibc_core.errors.sdk import InsufficientBalance
from ibc_core.host.block import TxOutcome
from ibc_relayer.endpoint import ChainEndpoint
from ibc_relayer.errors import RelayerError, TransactionFailed

RETRIES = 5
"""Times a transaction is submitted again after an account sequence mismatch."""

_OURS = (InsufficientBalance, InsufficientFee, UnknownAccount)
_TRUST_LOGS = ("cant trust new val set", "new val set cannot be trusted")
"""CometBFT's and ibc-go's error texts for too little trusted voting power; ibc-go has no code for it."""


def send(endpoint: ChainEndpoint, messages: Sequence[AnyMessage]) -> TxOutcome:
    """Submits one transaction; a refusal by CheckTx is an outcome like one in a block.

    Raises:
        EndpointUnavailable: no answer in time; the transaction may still be included.
        TransactionFailed: the account cannot pay: no transaction of ours would be included.
    """
    outcome = _try(endpoint, messages)
    for attempt in range(RETRIES):
        if not refused_for(outcome, WrongSequence):
            break
        if attempt:  # another transaction of this account is pending: wait until a block includes it
            endpoint.wait(endpoint.tip().height + 1)
        outcome = _try(endpoint, messages)
    if any(refused_for(outcome, kind) for kind in _OURS):
        raise TransactionFailed(endpoint.chain_id, "our transactions", refusal(outcome), outcome.log)
    return outcome


def _try(endpoint: ChainEndpoint, messages: Sequence[AnyMessage]) -> TxOutcome:
    try:
        return endpoint.submit(messages)
    except RelayerError:
        raise
    except IbcError as error:  # the mempool of an in-process chain raises what a node would return
        return TxOutcome(b"", error.code, error.codespace, (), 0, 0, b"", str(error))


def refused_for(outcome: TxOutcome, kind: type[IbcError]) -> bool:
    """Whether the transaction failed with the code of `kind`."""
    return (outcome.codespace, outcome.code) == (kind.codespace, kind.code)


def is_redundant(outcome: TxOutcome) -> bool:
    """Whether the chain rejected the transaction because other relayers had done all of it."""
    return refused_for(outcome, RedundantTx)


def lacks_trust(outcome: TxOutcome) -> bool:
    """Whether an update failed because too few trusted validators signed the header."""
    return refused_for(outcome, NotEnoughTrust) or any(text in outcome.log for text in _TRUST_LOGS)


def refusal(outcome: TxOutcome) -> str:
    """The outcome's error as `codespace/code`."""
    return f"{outcome.codespace}/{outcome.code}"
