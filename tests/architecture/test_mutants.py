"""The script that removes guards: its table fits the sources, and its verdicts are right."""

import ast

import pytest

from tools import mutants
from tools.guards import MUTANTS
from tools.guards.mutant import Mutant
from tools.mutants import StaleMutant, judge, main, mutated


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_h6_a_mutant_still_fits_the_source(mutant, root):
    """Each passage is there once, what comes out is Python, and every named test exists."""
    source = (root / mutant.file).read_text(encoding="utf-8")
    changed = mutated(source, mutant)
    assert changed != source
    ast.parse(changed)
    assert mutant.tests
    for test in mutant.tests:
        file, *_, name = test.split("::")
        assert f"def {name}(" in (root / file).read_text(encoding="utf-8"), test


def test_names_are_unique():
    names = [mutant.name for mutant in MUTANTS]
    assert len(names) == len(set(names))


def line(test="t", phase="call", outcome="failed", named=True):
    return {"test": test, "phase": phase, "outcome": outcome, "raised": "AssertionError", "named": named}


@pytest.mark.parametrize(
    ("lines", "killed"),
    [
        ([line("a"), line("b")], True),
        ([line("a"), line("a", outcome="passed"), line("b")], True),
        ([line("a"), line("b", outcome="passed")], False),  # one named test does not notice
        ([line("a"), line("b", named=False)], False),  # broken, not refused
        ([line("a"), line("b", phase="setup")], False),
        ([], False),
    ],
)
def test_a_mutant_is_killed_by_all_its_tests_or_alive(lines, killed):
    assert judge(lines, ["a", "b"]).killed is killed


def test_a_stale_mutant_is_told():
    mutant = Mutant("x", "f.py", (("gone", ""),), ("t",))
    for text in ("", "gone gone"):
        with pytest.raises(StaleMutant, match=r"x: f\.py"):
            mutated(text, mutant)


def test_a_name_that_is_none(capsys):
    assert main(["h999"]) == 2
    assert "no mutant" in capsys.readouterr().err


@pytest.mark.slow
def test_h6_the_mend_of_h5_cannot_get_lost(capsys):
    """The delete moved behind the callback, as it was in 2024: the tests of H5 go red."""
    assert main(["h5-timeout-deletes"]) == 0
    assert "killed h5-timeout-deletes-after-the-callback" in capsys.readouterr().out


@pytest.mark.slow
def test_h6_a_guard_that_nobody_tests_is_alive(monkeypatch, capsys):
    unnoticed = Mutant("h0-a-comment", "handlers/packet/timeout.py", (("never by ours", "never"),), (
        "tests/road/test_security_packets.py::test_h38_a_second_timeout_on_close_does_nothing",
    ))  # fmt: skip
    monkeypatch.setattr(mutants, "MUTANTS", (unnoticed,))
    assert main([]) == 1
    assert "ALIVE  h0-a-comment: survived" in capsys.readouterr().out
