"""Times: what was done before a signature is told apart, bugs and endless readers are found."""

import pytest

from conformance.fuzz import measure
from conformance.fuzz.case import open_attack
from conformance.fuzz.measure import Row, Run
from conformance.fuzz.report import faults, table


def test_a_bug_is_told_and_not_raised():
    def fail():
        raise KeyError("surprise")

    run = measure.once(open_attack(5, fail))

    assert run.verdict == "bug: KeyError: 'surprise'"
    assert run.size == 5


def test_an_endless_reader_is_given_up(monkeypatch):
    monkeypatch.setattr(measure, "PATIENCE_S", 0.05)

    def forever():
        while True:
            pass

    assert measure.once(open_attack(5, forever)).verdict == "endless"


def row(slope=1.0, unsigned_s=0.01, total_s=0.01, verdict="ok"):
    return Row("a case", slope, (Run(1_000_000, unsigned_s, total_s, verdict),))


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        (row(slope=1.11), "grows with exponent 1.11 of its size"),
        (row(unsigned_s=0.11), "110 ms per megabyte before signature verification"),
        (row(verdict="endless"), "endless at 1000000 bytes"),
        (row(verdict="bug: KeyError: 1"), "bug: KeyError: 1"),
    ],
)
def test_each_fault_is_told(bad, told):
    assert list(faults(bad)) == [told]
    assert list(faults(row())) == []


def test_what_is_told_is_counted_and_a_fault_above_its_bar():
    loud = measure.once(open_attack(1_000, lambda: "ok")._replace(reported=lambda: 21_000))
    (fault,) = faults(row()._replace(runs=(loud,)))
    assert fault == "21 bytes reported per byte"
    assert list(faults(row()._replace(runs=(loud._replace(reported=20_000),)))) == []
    assert "21.0 bytes reported per byte: a case" in list(table([row()._replace(runs=(loud,)), row()]))
