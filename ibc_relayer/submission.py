"""Submits one transaction and interprets the result."""

from collections.abc import Sequence

from ibc_core.any_message import AnyMessage
from ibc_core.errors import IbcError, NotEnoughTrust, RedundantTx
from ibc_core.host.block import TxOutcome
from ibc_relayer.endpoint import ChainEndpoint
from ibc_relayer.errors import EndpointUnavailable, RelayerError, TransactionFailed
from ibc_relayer.outcomes import Action, Rule, rule_of
from ibc_relayer.rpc_client import printable

RETRIES = 5
"""Times a transaction is submitted again after an account sequence mismatch, or to a full mempool."""

_NOTHING = Rule(Action.DONE, "no error")
_TRUST_LOGS = ("cant trust new val set", "new val set cannot be trusted")
"""CometBFT's and ibc-go's error texts for too little trusted voting power; ibc-go has no code for it."""


def send(endpoint: ChainEndpoint, messages: Sequence[AnyMessage]) -> TxOutcome:
    """Submits one transaction; a refusal by CheckTx is an outcome like one in a block.

    Raises:
        EndpointUnavailable: no answer in time; the transaction may still be included. Or the mempool is full.
        TransactionFailed: the account cannot pay or sign: no transaction of ours would be included.
    """
    outcome = _try(endpoint, messages)
    rule = _rule(outcome)
    for attempt in range(RETRIES):
        full = _is_full(rule)
        if not full and rule.action is not Action.SEQUENCE:
            break
        # guard: h143-a-full-mempool-is-not-waited-for drop:full
        #   test_h143_a_full_mempool_is_waited_for_and_blames_no_packet
        if attempt or full:  # another transaction of this account is pending, or many of others
            endpoint.wait(endpoint.tip().height + 1)
        outcome = _try(endpoint, messages)
        rule = _rule(outcome)
    if _is_full(rule):
        raise EndpointUnavailable(endpoint.chain_id, printable(f"{refusal(outcome)} {outcome.log}".strip()))
    if rule.action is Action.ACCOUNT:
        raise TransactionFailed(
            endpoint.chain_id, "our transactions", refusal(outcome), printable(outcome.log)
        )
    return outcome


def _rule(outcome: TxOutcome) -> Rule:
    return rule_of(outcome) if outcome.code else _NOTHING


def _is_full(rule: Rule) -> bool:
    return rule.action is Action.WAIT and rule.ante


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
