"""The oracle's cases: repeatable, of both verdicts, and answered by our side with a verdict alone."""

from collections import Counter
from itertools import islice

import pytest

from conformance.oracle import comparison
from conformance.oracle.comparison import KINDS
from conformance.oracle.program import Verdict

COUNT = 300
REFUSES = Verdict("any/1")


@pytest.mark.parametrize("name", KINDS)
def test_a_seed_is_one_row_of_cases(name):
    first, again, other = (list(islice(KINDS[name].cases(seed), 20)) for seed in (7, 7, 8))
    assert first == again
    assert first != other


@pytest.mark.parametrize("name", KINDS)
def test_ours_accepts_some_and_refuses_some(name):
    kind = KINDS[name]
    ours = kind.runner()
    verdicts = Counter(ours(case, REFUSES).error for case in islice(kind.cases(3), COUNT))
    assert verdicts[""] >= 10
    assert sum(verdicts.values()) - verdicts[""] >= 10
    assert len(verdicts) >= 3


class Told:
    """An oracle that gives prepared answers."""

    def __init__(self, *answers):
        self.answers = answers

    def ask(self, cases):
        return zip(cases, self.answers, strict=True)


def outcome(monkeypatch, ours, theirs):
    kind = KINDS["proofs"]._replace(runner=lambda: lambda case, said: ours)
    monkeypatch.setitem(comparison.KINDS, "proofs", kind)
    return comparison.compare(Told(theirs), "proofs", 1, 1)


def test_agreement_is_counted(monkeypatch):
    assert outcome(monkeypatch, Verdict(""), Verdict(""))[:3] == (1, 0, 0)
    assert outcome(monkeypatch, Verdict("a/1"), Verdict("a/1"))[:3] == (0, 1, 0)
    assert outcome(monkeypatch, Verdict("a/1"), Verdict("b/1"))[:3] == (0, 1, 1)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (Verdict(""), Verdict("commitment/2")),
        (Verdict("commitment/2", b"why not"), Verdict("")),
        (Verdict("", b"read"), Verdict("", b"other")),
    ],
)
def test_a_difference_is_kept(monkeypatch, ours, theirs):
    found = outcome(monkeypatch, ours, theirs)
    assert found[:3] == (0, 0, 0)
    assert [(each.ours, each.theirs) for each in found.differences] == [(ours, theirs)]


def test_a_known_reason_names_its_row(monkeypatch):
    found = outcome(monkeypatch, Verdict("commitment/2", b"leave room for another child"), Verdict(""))
    assert found.differences == []
    assert list(found.known) == ["checks of ics23 after v0.11"]
    found = outcome(monkeypatch, Verdict("commitment/3", b"leave room for another child"), Verdict(""))
    assert len(found.differences) == 1
