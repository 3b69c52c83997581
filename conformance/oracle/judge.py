"""Asks both sides, and counts: agreed, differing for a known reason, differing."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from typing import NamedTuple

from conformance.oracle import applications, headers, proofs, transactions, transfers
from conformance.oracle.program import Case, Oracle, Verdict


class Reason(NamedTuple):
    """Why we refuse what the other side accepts: a row of docs/adr/0010."""

    error: str  # ours, `codespace/code`
    words: str  # a pattern that our error's text matches
    row: str  # what the table says there

    def explains(self, ours: Verdict) -> bool:
        """Whether this is the reason of `ours`."""
        return ours.error == self.error and re.search(self.words, ours.read.decode()) is not None


_NO_TEXT = "text that is not UTF-8"
_LONG_TAG = "a tag in more than five bytes"
_LATER = "checks of ics23 after v0.11"
_FEES = "simd takes no fees"
_BANK = "bank messages are checked at the door"
_TIPS = "a transaction with a tip"
_LAST = "a transaction whose timeout height is the last block's, at CheckTx"


_PANIC = "undefined/111222"
"""Ours, where the border took an error that nobody foresaw: never right, whatever the other side says."""

_GAS_OF_ANTE = "sdk/11"
"""Theirs, where only our ante handler's gas was within the limit: each host has its own."""


class Kind(NamedTuple):
    """A kind of questions."""

    cases: Callable[[int], Iterator[Case]]  # from a seed, without end
    judge: Callable[[], Callable[[Case, Verdict], Verdict]]  # our side; it is told what the other side said
    known: tuple[Reason, ...] = ()
    lenient: tuple[str, ...] = ()  # errors there of what we accept, for a known reason


def _alone(ours: Callable[[Case], Verdict]) -> Callable[[], Callable[[Case, Verdict], Verdict]]:
    return lambda: lambda case, _: ours(case)


KINDS = {
    "transactions": Kind(
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
    "proofs": Kind(
        proofs.cases,
        _alone(proofs.ours),
        (
            Reason("commitment/2", "proof is of the absence of", "an absence proof whose `key` is another"),
            Reason("commitment/2", "leave room for another child", _LATER),
            Reason("commitment/2", "inner prefix of a simple Merkle tree", _LATER),
        ),
    ),
    "headers": Kind(
        headers.cases,
        _alone(headers.ours),
        (
            Reason("sdk/2", "not UTF-8", _NO_TEXT),
            Reason("sdk/2", r"malformed [A-Za-z0-9.]+$", _LONG_TAG),
        ),
    ),
    "applications": Kind(applications.cases, _alone(applications.ours)),
    "transfers": Kind(
        transfers.cases,
        _alone(transfers.ours),
        (
            Reason("ibc/12", "not UTF-8", "strings that are not UTF-8"),
            Reason("ibc/12", r"malformed [A-Za-z0-9.]+$", _LONG_TAG),
        ),
    ),
}
"""Name -> kind."""


class Difference(NamedTuple):
    """A case on which the sides differ for no known reason."""

    place: int  # of the seed's cases
    case: Case
    ours: Verdict
    theirs: Verdict


class Outcome(NamedTuple):
    """What came out."""

    accepted: int  # by both
    refused: int  # by both
    other_code: int  # of `refused`: for another of a case's faults
    known: Counter[str]  # differing, by row
    differences: list[Difference]


def judge(oracle: Oracle, name: str, count: int, seed: int) -> Outcome:
    """Asks both sides `count` cases of a kind: both accept, and read the same, or both refuse."""
    kind = KINDS[name]
    ours_says = kind.judge()
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


def _row(kind: Kind, ours: Verdict, theirs: Verdict) -> str | None:
    """The row that explains a difference, None where none does."""
    if not ours.error:
        return theirs.error if theirs.error in kind.lenient else None
    return next((reason.row for reason in kind.known if not theirs.error and reason.explains(ours)), None)
