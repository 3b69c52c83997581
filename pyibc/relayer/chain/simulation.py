"""Gas estimation by simulation (cosmos.tx.v1beta1.Service/Simulate), and the texts of simulations that fail.

A transaction whose simulation fails is not broadcast, since its fee would be lost.
"""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from google.protobuf.message import Message

from pyibc.core import errors
from pyibc.core.errors import IbcError
from pyibc.core.host.block import TxOutcome
from pyibc.proto.cosmos.tx.v1beta1 import service_pb2
from pyibc.relayer.chain.values import Query
from pyibc.relayer.errors import EndpointUnavailable, MalformedAnswer
from pyibc.relayer.links.outcomes import is_of_message
from pyibc.relayer.rpc.reading import read_answer

if TYPE_CHECKING:  # loaded by `RpcConfig` alone, which can leave them out
    from pyibc.relayer.rpc.node_queries import GasEstimates

# -- failed simulations, by their texts: nodes return neither codespace nor code of what failed
#
# `Service/Simulate` fails with the error's text, to which each generation of the SDK adds something else:
#
#     up to 0.45.1        ERROR: invalid request
#     up to 0.47          ERROR [FILE:LINE] With gas wanted: '9' and gas used: '7' : unknown request
#     0.50 and later      ERROR [FILE:LINE] with gas used: '7': unknown request
#
# In front of it may stand the code of the query and `rpc error: code = Unknown desc =`.

CODESPACE = "simulation"
"""Codespace of a failure that is in neither table below."""


def _code(kind: type[IbcError]) -> tuple[str, int]:
    return kind.codespace, kind.code


_ERROR_ENDS = (
    (_code(errors.HeaderExpired), r"trusted header of -?\d+ ns expired at -?\d+ ns"),
    (_code(errors.HeaderFromFuture), r"header time -?\d+ ns is beyond now -?\d+ ns \+ drift \d+ ns"),
    (_code(errors.HeaderExpired), r"old header has expired at [^()]{1,80} \(now: [^()]{1,80}\)"),
    (
        _code(errors.HeaderFromFuture),
        r"has a time from the future [^()]{1,80} \(now: [^()]{1,80}; max clock drift: \w{1,24}\)",
    ),
    (_code(errors.NotEnoughTrust), r"trusted validators signed with power \d+, more than \d+ needed"),
    (_code(errors.DelayPeriodNotPassed), "packet-specified delay period has not been reached"),
    (_code(errors.DelayPeriodNotPassed), r"delay period not passed: until [\w -]{1,64}, now [\w -]{1,64}"),
    (_code(errors.ClientNotActive), "client state is not active"),
    (_code(errors.ClientNotActive), r"client [\w-]{1,64} is \w{1,16}, not Active"),
    (_code(errors.ClientFrozen), "light client is frozen due to misbehaviour"),
    (
        _code(errors.OutOfGas),
        r"out of gas(?: in location: [^;]{1,100})?; gasWanted: \d{1,20}, gasUsed: \d{1,20}: out of gas",
    ),
    (("queue", 10), r"out of order: \d+, expected \d+"),
    (("queue", 28), r"packet \d+ is not in the queue"),
    (("queue", 18), r"cannot advance to \d+, the head is \d+"),
)
"""Codespace and code of failures that the relayer handles (`links.outcomes`), by the end of the error text.

Only the end of a text is matched: a contract, and so the packet sender, may control what precedes it. The
codes of queues are literals, so that the optional package is not imported.
"""
_ANTE_ENDS = (
    (_code(errors.WrongSequence), "incorrect account sequence"),
    (_code(errors.InsufficientBalance), "insufficient funds: insufficient funds"),
    (_code(errors.UnknownAccount), r"account \w{1,128} (?:does not exist|not found): unknown address"),
    (_code(errors.UnknownAccount), r"fee payer address: \w{1,128} does not exist: unknown address"),
    (_code(errors.InvalidPubKey), "invalid pubkey"),
    (_code(errors.MemoTooLarge), r"characters is \d{1,20} but received \d{1,20} characters: memo too large"),
    (_code(errors.MemoTooLarge), r"memo of \d{1,20} bytes exceeds \d{1,20}"),
    (
        _code(errors.InvalidSdkAddress),
        r"invalid Bech32 prefix; expected \w{1,90}, got \w{1,90}(?:: invalid address)?",
    ),
    (_code(errors.TxDecode), "tx parse error"),
    (_code(errors.InvalidGasLimit), r"exceeds (?:block max gas )?\d{1,20}: invalid gas limit"),
    (("feegrant", 5), r"not allow(?:ed)? to pay fees (?:for|from) \w{1,128}: .{1,400}"),
    (("feegrant", 5), "fee grants are not enabled(?:: invalid request)?"),
)
"""The same for errors of the ante handler, which concern the account; no error of a message is one."""

_FEE_END = "insufficient fee"
_LONGEST = 600
"""Characters at the end of a text that are matched."""

_SHOWN = 1_500
"""Characters of a text in a log: more than the longest reason of a node's refusal and its query."""

_Patterns = tuple[tuple[tuple[str, int], re.Pattern[str]], ...]


def _compiled(ends: tuple[tuple[tuple[str, int], str], ...]) -> _Patterns:
    return tuple((code, re.compile(rf"(?:.*\W)?(?:{end})", re.ASCII | re.DOTALL)) for code, end in ends)


_KNOWN = _compiled(_ERROR_ENDS)
_KNOWN_IN_ANTE = _compiled(_ANTE_ENDS)
_GAS_USED = re.compile(
    r" with (?:gas wanted: '\d{1,20}' and )?gas used: '\d{1,20}'", re.ASCII | re.IGNORECASE
)
"""Text that the SDK from 0.45.2 on adds to the error of a failed simulation, and to no other error."""
_REQUEST = re.compile(r": (?:invalid|unknown) request\Z")
"""Text that all releases add to the error of any query."""
_SOURCE_LOCATION = re.compile(r" \[[^\[\]]{1,200}\]\Z")
"""Source location that the SDK appends to an error."""
_EXPECTED = re.compile(r"account sequence mismatch, expected (\d{1,20}),", re.ASCII)


def failure_of(text: str) -> TxOutcome | None:
    """Return the outcome of the simulated transaction that a node refused with `text`.

    Returns:
        None if the refusal is not about the transaction, or about its fee: a draft pays one unit.
    """
    ends_at = [found.start() for found in _GAS_USED.finditer(text)]
    error = text[: ends_at[-1]] if ends_at else _REQUEST.sub("", text)
    end = _SOURCE_LOCATION.sub("", error)[-_LONGEST:]
    of_message = is_of_message(text)
    # guard: the-fee-of-a-draft-is-refused drop test_a_fee_that_is_too_low_for_the_draft_is_no_failure
    if not of_message and end.endswith(_FEE_END):
        return None
    patterns = _KNOWN if of_message else (*_KNOWN_IN_ANTE, *_KNOWN)
    # guard: h152-a-contract-s-words {pattern.fullmatch(end) => re.search(pattern.pattern, text)}
    #   test_h152_no_words_of_a_contract_are_taken_for_the_chain_s
    known = (code for code, pattern in patterns if pattern.fullmatch(end))
    code = next(known, None)
    # guard: an-old-sdk-simulates-nothing {not (ends_at or of_message or code) => not ends_at}
    #   test_a_failure_has_one_verdict_whatever_the_sdk
    if not (ends_at or of_message or code):
        return None
    codespace, number = code or (CODESPACE, 1)
    return TxOutcome(b"", number, codespace, (), 0, 0, log=f"not sent, simulation failed: {text[:_SHOWN]}")


def message_of(log: str) -> str:
    """Return the error of a chain in a log, without what simulations and nodes add to it."""
    error = _ADDED.sub("", log, 1)
    ends_at = [found.start() for found in _GAS_USED.finditer(error)]
    error = error[: ends_at[-1]] if ends_at else _REQUEST.sub("", error)
    return _SOURCE_LOCATION.sub("", error) or log


_ADDED = re.compile(
    r"\A(?:not sent, simulation failed: )?(?:[^\s:]{1,64}: /[\w./]{1,200}: \d{1,4} )?"
    r"(?:.{0,200}?rpc error: code = \w{1,32} desc = )?"
    r"(?:failed to execute message; message index: \d{1,6}: )?",
    re.ASCII | re.DOTALL,
)
"""Text that simulations, queries and the execution of messages add in front of an error."""


def expected_sequence(log: str) -> int | None:
    """Return the account sequence that an SDK error text names as expected; None: it names none."""
    found = _EXPECTED.search(log)
    return int(found[1]) if found else None


# -- gas estimation by simulation (cosmos.tx.v1beta1.Service/Simulate), and the texts of simulations that fail

SIMULATE = "/cosmos.tx.v1beta1.Service/Simulate"


class Estimate(NamedTuple):
    """Result of a simulation."""

    gas: int | None  # None: simulation is not available
    refusal: TxOutcome | None = None  # failure of the simulated transaction


UNKNOWN = Estimate(None)


class Simulator:
    """Simulator of transactions on one chain. For any thread."""

    def __init__(self, estimates: "GasEstimates | None" = None) -> None:
        """Create a simulator; `estimates` is a cheaper query of the same, which is tried first."""
        self._estimates = estimates

    def simulate(self, query: Query, raw: bytes) -> Estimate:
        """Simulate the transaction `raw`; its signature need not be valid.

        Raises:
            EndpointUnavailable: the node does not answer.
        """
        estimates = self._estimates
        if estimates is not None and estimates.should_try():
            found = _query_gas(query, estimates.path, estimates.request(raw), estimates.decode)
            if found is not UNKNOWN:
                return found
            estimates.record_refusal()
        return _query_gas(query, SIMULATE, service_pb2.SimulateRequest(tx_bytes=raw), _simulated_gas)


def _simulated_gas(answer: bytes) -> int:
    return service_pb2.SimulateResponse.FromString(answer).gas_info.gas_used


def _query_gas(query: Query, path: str, request: Message, read: Callable[[bytes], int]) -> Estimate:
    try:
        answer = query(path, request.SerializeToString())
        # guard: h241-a-simulation-that-is-none-is-passed-over drop:report_malformed
        #   test_h241_a_simulation_that_is_none_is_told_and_taken_for_none
        gas = read_answer(CODESPACE, path, lambda: read(answer), query.report_malformed)
    except EndpointUnavailable:
        raise
    except MalformedAnswer:
        return UNKNOWN
    except IbcError as error:  # EndpointRefused by RPC, the chain's own error in process
        failure = failure_of(str(error))
        return UNKNOWN if failure is None else Estimate(None, failure)
    return Estimate(gas) if gas else UNKNOWN


def exceeds_gas_limit(limit: int) -> TxOutcome:
    """Return the outcome of a transaction that is not sent, since it needs more gas than the limit."""
    log = f"not sent: it needs more than the gas limit of {limit} per transaction"
    return TxOutcome(b"", errors.OutOfGas.code, errors.OutOfGas.codespace, (), 0, 0, log=log)


LIMIT_CODESPACE, FEE_LIMIT_CODE = "relayer-limit", 2
"""Codespace and code of a transaction that is not sent because of its fee (`links.outcomes`)."""


def too_expensive(fee: int, packets: int, limit: int, gas: int) -> TxOutcome:
    """Return the outcome of a transaction that is not sent, since its fee per packet exceeds the limit.

    Args:
        fee: the fee of the transaction.
        packets: the number of its packets.
        limit: the maximum fee per packet.
        gas: the gas limit of the transaction.
    """
    log = f"not sent: fee {fee} for {packets} packets, above the limit of {limit} per packet"
    return TxOutcome(b"", FEE_LIMIT_CODE, LIMIT_CODESPACE, (), gas, 0, log=log)
