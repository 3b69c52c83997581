"""Comparison of both sides: cases that agree, differ for a known reason, or differ."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from typing import NamedTuple

from conformance.oracle import applications, headers, proofs, transactions, transfers
from conformance.oracle.program import Case, Oracle, Verdict


class Reason(NamedTuple):
    """Reason to refuse what the Go side accepts: a row of docs/adr/0010."""

    error: str  # our `codespace/code`
    words: str  # a pattern of our error's text
    row: str  # the row's text

    def explains(self, ours: Verdict) -> bool:
        """Return whether this is the reason of our result."""
        return ours.error == self.error and re.search(self.words, ours.read.decode()) is not None


_NO_TEXT = "text that is not UTF-8"
_LONG_TAG = "a tag in more than five bytes"
_LATER = "checks of ics23 after v0.11"
_FEES = "simd takes no fees"
_BANK = "bank messages are checked at the door"
_TIPS = "a transaction with a tip"
_LAST = "a transaction whose timeout height is the last block's, at CheckTx"


_PANIC = "undefined/111222"
"""Our result if the boundary caught an unexpected exception: always wrong."""

_GAS_OF_ANTE = "sdk/11"
"""The Go side's result if only our ante handler's gas was within the limit: hosts define their own."""


class CaseKind(NamedTuple):
    """A kind of cases."""

    cases: Callable[[int], Iterator[Case]]  # yields cases endlessly from a seed
    runner: Callable[[], Callable[[Case, Verdict], Verdict]]  # runs a case here, given the Go side's verdict
    known: tuple[Reason, ...] = ()
    lenient: tuple[str, ...] = ()  # Go errors on input that we accept for a known reason


def _alone(ours: Callable[[Case], Verdict]) -> Callable[[], Callable[[Case, Verdict], Verdict]]:
    return lambda: lambda case, _: ours(case)


KINDS = {
    "transactions": CaseKind(
        transactions.cases,
        transactions.Chain,
        (
            Reason("sdk/2", "not UTF-8", _NO_TEXT),
            Reason("sdk/2", r"malformed [A-Za-z0-9.]+$", _LONG_TAG),
            Reason("sdk/10", "invalid coins", _BANK),
            Reason("sdk/7", "to_address", _BANK),
            Reason("sdk/7", "sender|receiver", _BANK),
            Reason("sdk/13", "fee", _FEES),
            Reason("sdk/5", "fee", _FEES),
            Reason("sdk/37", "^tips", _TIPS),
            Reason("sdk/30", "^block height: 2, timeout height: 1:", _LAST),
        ),
        (_GAS_OF_ANTE,),
    ),
    "proofs": CaseKind(
        proofs.cases,
        _alone(proofs.ours),
        (
            Reason("commitment/2", "leave room for another child", _LATER),
            Reason("commitment/2", "inner prefix of a simple Merkle tree", _LATER),
        ),
    ),
    "headers": CaseKind(
        headers.cases,
        _alone(headers.ours),
        (
            Reason("sdk/2", "not UTF-8", _NO_TEXT),
            Reason("sdk/2", r"malformed [A-Za-z0-9.]+$", _LONG_TAG),
        ),
    ),
    "applications": CaseKind(applications.cases, _alone(applications.ours)),
    "transfers": CaseKind(
        transfers.cases,
        _alone(transfers.ours),
        (
            Reason("ibc/12", "not UTF-8", "strings that are not UTF-8"),
            Reason("ibc/12", r"malformed [A-Za-z0-9.]+$", _LONG_TAG),
        ),
    ),
}
"""Kinds by name."""


class Difference(NamedTuple):
    """A case with different results and no known reason."""

    place: int  # number of the case within the seed
    case: Case
    ours: Verdict
    theirs: Verdict


class Outcome(NamedTuple):
    """Totals of a comparison."""

    accepted: int  # by both
    refused: int  # by both
    other_code: int  # of `refused`: with different errors, for different faults of the case
    known: Counter[str]  # known differences, by row
    differences: list[Difference]


def compare(oracle: Oracle, name: str, count: int, seed: int) -> Outcome:
    """Run `count` cases of a kind on both sides: both must accept with equal results, or both refuse."""
    kind = KINDS[name]
    ours_says = kind.runner()
    accepted = refused = other_code = 0
    known: Counter[str] = Counter()
    differences = []
    for place, (case, theirs) in enumerate(oracle.ask(islice(kind.cases(seed), count))):
        ours = ours_says(case, theirs)
        if ours.error == _PANIC:
            differences.append(Difference(place, case, ours, theirs))
        elif ours.error and theirs.error:
            refused += 1
            other_code += ours.error != theirs.error
        elif not ours.error and not theirs.error and (not theirs.read or ours.read == theirs.read):
            accepted += 1
        else:
            row = _row(kind, ours, theirs)
            if row is None:
                differences.append(Difference(place, case, ours, theirs))
            else:
                known[row] += 1
    return Outcome(accepted, refused, other_code, known, differences)


def _row(kind: CaseKind, ours: Verdict, theirs: Verdict) -> str | None:
    """Return the row that explains a difference, or None."""
    if not ours.error:
        return theirs.error if theirs.error in kind.lenient else None
    return next((reason.row for reason in kind.known if not theirs.error and reason.explains(ours)), None)
