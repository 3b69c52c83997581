"""Actions for errors: one table for nodes' answers, CheckTx, transactions in blocks and relayer errors.

A refusal is looked up by its (codespace, code). Texts decide only where ibc-go and CometBFT give no code,
because the sender of a packet may control text in the log of a message. For the same reason the ante
handler's codes count only before the messages of a transaction are executed: a contract may return any code.
docs/relayer-errors.md has the table for operators.
"""

import re
from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

from pyibc.codec.anys import AnyMessage
from pyibc.core.errors import IbcError, NotEnoughTrust, OutOfGas, RedundantTx
from pyibc.core.host.block import TxOutcome
from pyibc.relayer import errors
from pyibc.relayer.chain.endpoint import ChainEndpoint
from pyibc.relayer.errors import EndpointRefused, EndpointUnavailable, RelayerError, TransactionFailed
from pyibc.relayer.rpc.client import printable


class Action(Enum):
    """Reaction to an error."""

    RETRY = "retry"
    """Retry after a pause."""
    SHRINK = "shrink"
    """Halve the batch, now and for some time."""
    MORE_GAS = "more gas"
    """Send fewer messages, or raise the gas limit."""
    SEQUENCE = "sequence"
    """Query the account's sequence, then retry."""
    WAIT = "wait"
    """Retry after the chain's next block."""
    CLOCK = "clock"
    """Wait until the chain's time has reached the header's, or use an older header."""
    OTHER_BACKEND = "other backend"
    """Ask another node of the chain, or this one later, for a newer height."""
    SKIP_PACKET = "skip packet"
    """Skip this message; a later round retries it."""
    STOP_PATH = "stop path"
    """Stop: no message of this path can succeed before an operator acts."""
    ACCOUNT = "account"
    """Stop: no transaction of the relayer's account can succeed before an operator acts."""
    HOLD = "hold"
    """Defer the message; list it, and send it when it is allowed."""
    DONE = "done"
    """Continue: it was done before, for example by another relayer."""


class Rule(NamedTuple):
    """Row of the table."""

    action: Action
    meaning: str
    ante: bool = False  # counts only before the messages are executed


_ANTE = True

CODES: dict[tuple[str, int], Rule] = {
    ("sdk", 3): Rule(Action.SEQUENCE, "invalid sequence", _ANTE),
    ("sdk", 4): Rule(Action.ACCOUNT, "unauthorized: the signature does not verify", _ANTE),
    ("sdk", 5): Rule(Action.ACCOUNT, "insufficient funds for the fee", _ANTE),
    ("sdk", 7): Rule(Action.ACCOUNT, "the address has the prefix of another chain", _ANTE),
    ("sdk", 8): Rule(Action.ACCOUNT, "the public key is not the account's", _ANTE),
    ("sdk", 9): Rule(Action.ACCOUNT, "unknown address: the account never received coins", _ANTE),
    ("sdk", 10): Rule(Action.ACCOUNT, "the fee's denomination or amount is invalid", _ANTE),
    ("sdk", 11): Rule(Action.MORE_GAS, "out of gas"),
    ("sdk", 12): Rule(Action.ACCOUNT, "the configured memo is too large", _ANTE),
    ("sdk", 13): Rule(Action.ACCOUNT, "insufficient fee for the node's minimum gas price", _ANTE),
    ("sdk", 14): Rule(Action.ACCOUNT, "too many signatures: the account is a multisig", _ANTE),
    ("sdk", 15): Rule(Action.ACCOUNT, "no signature", _ANTE),
    ("sdk", 19): Rule(Action.DONE, "the mempool holds this very transaction", _ANTE),
    ("sdk", 20): Rule(Action.WAIT, "mempool is full", _ANTE),
    ("sdk", 21): Rule(Action.SHRINK, "transaction too large", _ANTE),
    ("sdk", 24): Rule(Action.ACCOUNT, "another signer than the account", _ANTE),
    ("sdk", 28): Rule(Action.ACCOUNT, "signed for another chain id", _ANTE),
    ("sdk", 29): Rule(Action.ACCOUNT, "the chain admits no such transaction or signature", _ANTE),
    ("sdk", 31): Rule(Action.ACCOUNT, "unknown extension option", _ANTE),
    ("sdk", 32): Rule(Action.SEQUENCE, "account sequence mismatch", _ANTE),
    ("sdk", 38): Rule(Action.ACCOUNT, "the fee grant does not exist", _ANTE),
    ("sdk", 39): Rule(Action.WAIT, "the node cannot read or write its state", _ANTE),
    ("sdk", 41): Rule(Action.SHRINK, "gas limit above the block's maximum", _ANTE),
    ("feegrant", 2): Rule(Action.ACCOUNT, "the fee is above the grant's limit", _ANTE),
    ("feegrant", 3): Rule(Action.ACCOUNT, "the fee grant has expired", _ANTE),
    ("feegrant", 4): Rule(Action.ACCOUNT, "the fee grant's period is invalid", _ANTE),
    ("feegrant", 5): Rule(Action.ACCOUNT, "the fee grant does not exist", _ANTE),
    ("feegrant", 6): Rule(Action.ACCOUNT, "the fee grant allows no messages", _ANTE),
    ("feegrant", 7): Rule(Action.ACCOUNT, "the fee grant does not allow this type of message", _ANTE),
    ("feemarket", 1): Rule(Action.ACCOUNT, "the fee market wants a fee", _ANTE),
    ("feemarket", 2): Rule(Action.ACCOUNT, "the fee market wants a single coin", _ANTE),
    ("feemarket", 3): Rule(Action.ACCOUNT, "the fee market cannot convert the denomination", _ANTE),
    ("txfees", 2): Rule(Action.ACCOUNT, "the fee is not in a single denomination", _ANTE),
    ("txfees", 3): Rule(Action.ACCOUNT, "the chain accepts no fees in this denomination", _ANTE),
    ("ibc", 2): Rule(Action.STOP_PATH, "the client's configuration names other relayers"),
    ("client", 4): Rule(Action.STOP_PATH, "light client not found"),
    ("client", 5): Rule(Action.STOP_PATH, "light client frozen"),
    ("client", 29): Rule(Action.STOP_PATH, "light client frozen, expired or unauthorized"),
    ("clientv2", 34): Rule(Action.STOP_PATH, "invalid counterparty of the client"),
    ("clientv2", 35): Rule(Action.STOP_PATH, "the client has no counterparty"),
    ("07-tendermint", 10): Rule(Action.WAIT, "the connection's delay has not passed"),
    ("07-tendermint", 11): Rule(Action.STOP_PATH, "the trusting period has passed"),
    ("cometbft", 1): Rule(Action.STOP_PATH, "the trusting period has passed"),
    ("cometbft", 2): Rule(Action.CLOCK, "header from the future of the host"),
    ("connection", 3): Rule(Action.STOP_PATH, "connection not found"),
    ("connection", 6): Rule(Action.STOP_PATH, "connection not open"),
    ("channel", 3): Rule(Action.STOP_PATH, "channel not found"),
    ("channel", 5): Rule(Action.STOP_PATH, "channel closed, or not open yet"),
    ("channel", 19): Rule(Action.DONE, "packet already received"),
    ("channel", 20): Rule(Action.DONE, "packet commitment not found: acknowledged or timed out"),
    ("channel", 22): Rule(Action.DONE, "packet messages are redundant"),
    ("channel", 23): Rule(Action.DONE, "message is redundant"),
    ("channelv2", 6): Rule(Action.DONE, "packet commitment not found: acknowledged or timed out"),
    ("channelv2", 12): Rule(Action.DONE, "message is redundant"),
    ("relayer-limit", 2): Rule(Action.HOLD, "not sent: a packet's share of the fee is above `max_fee`"),
    ("relayer-limit", 3): Rule(Action.HOLD, "not sent: a budget of the day is used up"),
}
"""Rules by (codespace, code); any other code of a chain is SKIP_PACKET."""

TEXTS: tuple[tuple[str, Rule], ...] = (
    ("has a time from the future", Rule(Action.CLOCK, "CometBFT light: header from the future")),
    ("mempool is full", Rule(Action.WAIT, "a localnet's mempool", _ANTE)),
    ("bech32 prefix", Rule(Action.ACCOUNT, "the address has the prefix of another chain", _ANTE)),
    (".pubkey: tx parse error", Rule(Action.ACCOUNT, "the chain has no accounts of this type", _ANTE)),
    ("fee grants are not enabled", Rule(Action.ACCOUNT, "the chain has no fee grants", _ANTE)),
    ("old header has expired", Rule(Action.STOP_PATH, "CometBFT light: the trusting period has passed")),
)
"""Rules by a part of the log of a transaction whose error has no code; the first that occurs counts."""

ANSWERS: tuple[tuple[str, Rule], ...] = (
    ("tx already exists in cache", Rule(Action.DONE, "CometBFT's mempool: broadcast before")),
    ("mempool is full", Rule(Action.WAIT, "CometBFT's mempool")),
    ("considered as full", Rule(Action.WAIT, "CometBFT's mempool: rechecking after a block")),
    ("tx too large", Rule(Action.SHRINK, "CometBFT's mempool: above `max_tx_bytes`")),
    ("tx size is too big", Rule(Action.SHRINK, "CometBFT's mempool: above the block's `max_bytes`")),
    ("request body too large", Rule(Action.SHRINK, "CometBFT's RPC: above `max_body_bytes`")),
    ("http status 413", Rule(Action.SHRINK, "a proxy: request too large")),
    ("is greater than max gas", Rule(Action.SHRINK, "CometBFT's mempool: gas above the block's `max_gas`")),
    ("unknown query path", Rule(Action.STOP_PATH, "the chain serves no such query")),
    ("no such store", Rule(Action.STOP_PATH, "the chain has no such store")),
    (
        "must be less than or equal to the current",
        Rule(Action.OTHER_BACKEND, "a height not there yet"),
    ),
    ("height in the future", Rule(Action.OTHER_BACKEND, "a height not there yet")),
    ("version does not exist", Rule(Action.OTHER_BACKEND, "a state pruned, or not there yet")),
    (
        "failed to load state at height",
        Rule(Action.OTHER_BACKEND, "a state pruned, or not there yet"),
    ),
    ("ensure height has not been pruned", Rule(Action.OTHER_BACKEND, "a state that is pruned")),
    ("is not available, lowest height is", Rule(Action.OTHER_BACKEND, "a block that is pruned")),
    ("could not find", Rule(Action.OTHER_BACKEND, "a block or its results are not kept")),
    ("not persisting finalize block responses", Rule(Action.OTHER_BACKEND, "results are not kept")),
)
"""Rules by a part of a node's refusal of a call; the first that occurs counts, others are OTHER_BACKEND."""

OF_A_MESSAGE = "failed to execute message; message index"
"""Start of the SDK's log of a message that failed."""
OF_A_CALLBACK = (" packet callback failed", "timeout on close callback failed")
"""Parts of ibc-go's log of an application that failed; up to version 8 its ante handler runs applications."""

_UNCODED = frozenset({("undefined", 1), ("sdk", 1), ("", 1), ("sdk", 2), ("sdk", 18)})
"""Codes of errors of many kinds."""

_OWN: tuple[tuple[type[IbcError], Rule], ...] = (
    (errors.LedgerUnavailable, Rule(Action.RETRY, "the ledger's disk is full, or somebody holds it")),
    (EndpointUnavailable, Rule(Action.RETRY, "no answer, or not in time")),
    (errors.MalformedAnswer, Rule(Action.OTHER_BACKEND, "an answer that cannot be decoded")),
    (errors.ClientUnusable, Rule(Action.STOP_PATH, "light client frozen or expired")),
    (errors.WrongCounterparty, Rule(Action.STOP_PATH, "leads to another chain")),
    (errors.HandshakeStuck, Rule(Action.STOP_PATH, "two ends that do not fit")),
    (errors.JournalMismatch, Rule(Action.STOP_PATH, "the journal is of other paths or chains")),
    (errors.JournalUnavailable, Rule(Action.RETRY, "the journal's disk is full, or somebody holds it")),
    (errors.LedgerMismatch, Rule(Action.STOP_PATH, "the ledger is another program's file")),
    (errors.LedgerNotOpened, Rule(Action.RETRY, "the ledger's disk is full, or somebody holds it")),
    (RelayerError, Rule(Action.STOP_PATH, "any other error of the relayer")),
)
_OTHERWISE = Rule(Action.SKIP_PACKET, "an error of this message")


def rule_of(problem: TxOutcome | IbcError) -> Rule:
    """Return the table's row for a failed transaction, or for an error that was raised.

    An `IbcError` that is not a `RelayerError` comes from an in-process chain, in place of CheckTx's answer.
    """
    if isinstance(problem, TxOutcome):
        return _of_chain(problem.codespace, problem.code, problem.log, executed=bool(problem.events))
    if isinstance(problem, EndpointRefused):
        return _by_text(problem.reason, ANSWERS) or Rule(Action.OTHER_BACKEND, "a refused call")
    if isinstance(problem, TransactionFailed):
        codespace, _, code = problem.refusal.rpartition("/")
        return _of_chain(codespace, int(code) if code.isdecimal() else 1, problem.log, executed=False)
    found = next((rule for kind, rule in _OWN if isinstance(problem, kind)), None)
    return found or _of_chain(problem.codespace, problem.code, str(problem), executed=False)


def action_of(problem: TxOutcome | IbcError) -> Action:
    """Return the action of `rule_of`."""
    return rule_of(problem).action


def is_of_message(log: str) -> bool:
    """Return whether a log is of a message that failed, so that a packet may control part of it."""
    # guard: h140-an-application-speaks-for-the-account {(OF_A_MESSAGE, *OF_A_CALLBACK) => (OF_A_MESSAGE,)}
    #   test_h140_a_packet_cannot_speak_for_the_account_or_the_mempool
    return any(mark in log for mark in (OF_A_MESSAGE, *OF_A_CALLBACK))


def is_of_first(outcome: TxOutcome) -> bool:
    """Return whether the first message of a transaction failed; later messages may fail with any text."""
    _, known, number = outcome.log.partition(OF_A_MESSAGE)
    return not known or number.startswith(": 0:")


def lowest_kept(refusal: EndpointRefused) -> int:
    """Return the lowest height that a node keeps, from its refusal of a pruned block; 0: another refusal."""
    found = _LOWEST.search(refusal.reason)
    return int(found[1]) if found else 0


_LOWEST = re.compile(r"is not available, lowest height is ([0-9]{1,18})", re.ASCII)


def in_mempool_terms(refusal: EndpointRefused) -> tuple[str, int] | None:
    """Return the SDK's (codespace, code) of a broadcast refused before CheckTx; None: another refusal.

    The SDK's client makes the same translation (client/broadcast.go).
    """
    rule = _by_text(refusal.reason, ANSWERS)
    return _MEMPOOL.get(rule.action) if rule is not None else None


_MEMPOOL = {Action.DONE: ("sdk", 19), Action.WAIT: ("sdk", 20), Action.SHRINK: ("sdk", 21)}


def _of_chain(codespace: str, code: int, log: str, *, executed: bool) -> Rule:
    """Return the rule of a chain's error; `executed`: it has events, unlike after a failed ante handler."""
    rule = CODES.get((codespace, code))
    if rule is None and (codespace, code) in _UNCODED:
        rule = _by_text(log, TEXTS)
    # guard: h140-a-contract-s-code-is-the-account-s {executed or is_of_message(log) => False}
    #   test_h140_a_packet_cannot_speak_for_the_account_or_the_mempool
    if rule is None or (rule.ante and (executed or is_of_message(log))):
        return _OTHERWISE
    return rule


def _by_text(text: str, rows: tuple[tuple[str, Rule], ...]) -> Rule | None:
    lower = text.lower()
    return next((rule for part, rule in rows if part in lower), None)


# -- submit one transaction and interpret its outcome

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
