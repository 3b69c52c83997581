"""Sending one transaction, and reading what a chain answers."""

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
"""Times a transaction is sent anew because the account's sequence had moved on."""

_OURS = (InsufficientBalance, InsufficientFee, UnknownAccount)
_TRUST_LOGS = ("cant trust new val set", "new val set cannot be trusted")
"""How CometBFT's and ibc-go's verifiers say that too little trusted power signed; ibc-go gives it no code."""


def send(endpoint: ChainEndpoint, messages: Sequence[AnyMessage]) -> TxOutcome:
    """Sends one transaction; refusals before a block are outcomes like those in one.

    Raises:
        EndpointUnavailable: no answer, or not in time; the transaction may still get in.
        TransactionFailed: the account cannot pay: no transaction of ours would get in.
    """
    outcome = _try(endpoint, messages)
    for attempt in range(RETRIES):
        if not refused_for(outcome, WrongSequence):
            break
        if attempt:  # somebody with our account has a transaction on its way: a block tells its sequence
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
    except IbcError as error:  # an in-process chain's mempool raises what a node would answer
        return TxOutcome(b"", error.code, error.codespace, (), 0, 0, b"", str(error))


def refused_for(outcome: TxOutcome, kind: type[IbcError]) -> bool:
    """Whether the chain refused for the reason that `kind` stands for."""
    return (outcome.codespace, outcome.code) == (kind.codespace, kind.code)


def is_redundant(outcome: TxOutcome) -> bool:
    """Whether the chain did not let the transaction in because other relayers had done all of it."""
    return refused_for(outcome, RedundantTx)


def lacks_trust(outcome: TxOutcome) -> bool:
    """Whether an update failed because too few trusted validators signed the header."""
    return refused_for(outcome, NotEnoughTrust) or any(text in outcome.log for text in _TRUST_LOGS)


def refusal(outcome: TxOutcome) -> str:
    """The chain's verdict as `codespace/code`."""
    return f"{outcome.codespace}/{outcome.code}"
