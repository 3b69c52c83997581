"""Submit one transaction and interpret its outcome."""

import re
from collections.abc import Sequence

from pyibc.codec.anys import AnyMessage
from pyibc.core.errors import IbcError, NotEnoughTrust, OutOfGas, RedundantTx
from pyibc.core.host.block import TxOutcome
from pyibc.relayer.chain.endpoint import ChainEndpoint
from pyibc.relayer.errors import EndpointUnavailable, RelayerError, TransactionFailed
from pyibc.relayer.links.outcomes import Action, Rule, rule_of
from pyibc.relayer.rpc.client import printable

RETRIES = 5
"""Retries of a transaction after an account sequence mismatch or a full mempool."""

_NOTHING = Rule(Action.DONE, "no error")
_TRUST_LOGS = ("cant trust new val set", "new val set cannot be trusted")
"""Error texts of CometBFT and ibc-go for too little trusted voting power; ibc-go has no code for it."""


def send(endpoint: ChainEndpoint, messages: Sequence[AnyMessage]) -> TxOutcome:
    """Submit one transaction. A refusal by CheckTx is returned like the outcome in a block.

    Raises:
        EndpointUnavailable: no answer in time, and the transaction may still be included; or the mempool
            stays full.
        TransactionFailed: the account cannot pay or sign, so none of its transactions can be included.
    """
    outcome = _try(endpoint, messages)
    rule = _rule(outcome)
    for attempt in range(RETRIES):
        full = _is_full(rule)
        if not full and rule.action is not Action.SEQUENCE:
            break
        # guard: h143-a-full-mempool-is-not-waited-for drop:full
        #   test_h143_a_full_mempool_is_waited_for_and_blames_no_packet
        if attempt or full:  # another transaction of this account, or many of other accounts, are pending
            endpoint.wait(endpoint.tip().height + 1)
        outcome = _try(endpoint, messages)
        rule = _rule(outcome)
    if _is_full(rule):
        raise EndpointUnavailable(endpoint.chain_id, printable(f"{refusal(outcome)} {outcome.log}".strip()))
    if rule.action is Action.ACCOUNT:
        raise TransactionFailed(
            endpoint.chain_id, "the relayer's transactions", refusal(outcome), printable(outcome.log)
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
    except IbcError as error:  # an in-process chain's mempool raises the error that a node would return
        return TxOutcome(b"", error.code, error.codespace, (), 0, 0, b"", str(error))


def refused_for(outcome: TxOutcome, kind: type[IbcError]) -> bool:
    """Return whether the transaction failed with the code of `kind`."""
    return (outcome.codespace, outcome.code) == (kind.codespace, kind.code)


def ran_out_of_gas(outcome: TxOutcome, packets: int) -> bool:
    """Return whether a transaction for so many packets failed because its gas limit was too low.

    Chains with a limit on gas per transaction or block may refuse a higher one with the same code. A block
    tells by the gas used; CheckTx tells by its text alone, and first the transaction is made smaller.
    """
    if not refused_for(outcome, OutOfGas):
        return False
    if outcome.gas_used:
        return outcome.gas_used >= outcome.gas_wanted
    told = _GAS.search(outcome.log)
    return packets < 2 and told is not None and int(told[2]) >= int(told[1])


_GAS = re.compile(r"gasWanted: (\d{1,20}), gasUsed: (\d{1,20})", re.ASCII)


def is_redundant(outcome: TxOutcome) -> bool:
    """Return whether the chain rejected the transaction as redundant: other relayers had done all of it."""
    return refused_for(outcome, RedundantTx)


def lacks_trust(outcome: TxOutcome) -> bool:
    """Return whether a client update failed because too little trusted voting power signed the header."""
    return refused_for(outcome, NotEnoughTrust) or any(text in outcome.log for text in _TRUST_LOGS)


def refusal(outcome: TxOutcome) -> str:
    """Return the outcome's error as `codespace/code`."""
    return f"{outcome.codespace}/{outcome.code}"
