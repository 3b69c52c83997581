"""Times: what was done before a signature is told apart, bugs and endless readers are found."""

import pytest

from conformance.fuzz import measure
from conformance.fuzz.case import Attack, Case, open_attack
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


def test_what_is_refused_at_the_door_goes_no_further():
    entered = []
    run = measure.once(Attack(5, lambda: "sdk/2", lambda: entered.append(1) or "ok"))

    assert run.verdict == "sdk/2"
    assert entered == []
    assert measure.once(Attack(5, lambda: None, lambda: entered.append(1) or "ok")).verdict == "ok"
    assert entered == [1]


def test_suspects_are_the_dear_the_growing_and_the_buggy():
    def probed(name, small, large, verdict="ok"):
        runs = [Run(4000, 0, small, "ok"), Run(32_000, 0, large, verdict)]
        return Case(name, lambda size: open_attack(size, str)), *runs

    cases = [
        probed("dear", 1.0, 8.0),
        probed("cheap", 0.0, 0.0),
        probed("growing", 0.001, 0.5),
        probed("bug", 0.0, 0.0, "bug: KeyError: 1"),
    ]
    assert {case.name for case in measure.suspects(cases, 1)} == {"dear", "growing", "bug"}


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


def test_a_case_that_was_disturbed_is_measured_again(monkeypatch):
    """Of each size the fastest run counts, and no input comes twice."""
    given, costs = [], iter([9.0, 1.0, 4.0, 3.0, 8.0, 2.0])

    def prepare(size):
        given.append(size)
        return open_attack(size, str)

    monkeypatch.setattr(measure, "once", lambda attack: Run(attack.size, 0.0, next(costs), "ok"))
    monkeypatch.setattr(measure, "ENOUGH_S", 100.0)
    before = measure.sweep(Case("a case", prepare), (1000, 2000, 4000), 1)
    assert [run.total_s for run in before.runs] == [9.0, 1.0, 4.0]
    after = measure.again(Case("a case", prepare), before, 1)
    assert [run.total_s for run in after.runs] == [3.0, 1.0, 2.0]
    measure_twice = [size + number * measure.APART for size in (1000,) for number in range(3)]
    given.clear()
    monkeypatch.setattr(measure, "once", lambda attack: Run(attack.size, 0.0, 1.0, "ok"))
    measure.best(Case("a case", prepare), 1000, 3)
    assert given == measure_twice


def test_a_slope_is_a_fault_whatever_was_counted():
    (fault,) = faults(row(slope=1.11)._replace(counted=1.02))
    assert fault == "grows with exponent 1.11 of its size, its work counted 1.02"
    (told, *_) = [line for line in table([row(slope=1.25)._replace(counted=1.02)]) if "a case" in line]
    assert told.endswith("a case: ok (counted: 1.02)")


def test_what_is_told_is_counted_and_a_fault_above_its_bar():
    loud = measure.once(open_attack(1_000, lambda: "ok")._replace(reported=lambda: 21_000))
    (fault,) = faults(row()._replace(runs=(loud,)))
    assert fault == "21 bytes reported per byte"
    assert list(faults(row()._replace(runs=(loud._replace(reported=20_000),)))) == []
    assert "21.0 bytes reported per byte: a case" in list(table([row()._replace(runs=(loud,)), row()]))
