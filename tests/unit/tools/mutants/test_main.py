"""The tool as a whole: what it calls killed, alive and proved, in a small project of its own."""

import pytest

from tools.mutants.__main__ import main, select, verdict_of
from tools.mutants.engine import is_case
from tools.mutants.runs import Ran

MODULE = '''\
LIMIT = 3


def check(number):
    """Refuse numbers."""
    # guard: h1-negative test_negative
    if number < 0:
        raise ValueError(number)
    # guard: h1-large test_unaware
    if number > 9:
        raise ValueError(number)
    # guard: h12-even test_even
    if number % 2 == 0:
        raise ValueError(number)


# guard: h1-limit {3 => 4} test_limit
def limit(most=3):
    """Return the limit."""
    return most
'''
TESTS = """\
import pytest

from shipped.module import check, limit


def test_negative():
    with pytest.raises(ValueError, match="-1"):
        check(-1)


def test_unaware():
    check(3)


def test_even():
    with pytest.raises(ValueError, match="2"):
        check(2)


def test_limit():
    assert limit() == 3
"""
ROW = "| 000-1-{0} | text | `shipped/module.py:check` | `tests/test_module.py::{1}` |\n"


@pytest.fixture
def project(tmp_path):
    files = {
        "shipped/module.py": MODULE,
        "shipped/__init__.py": "",
        "tests/test_module.py": TESTS,
        "docs/spec-coverage.md": ROW.format(1, "test_even") + ROW.format(2, "test_limit"),
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def line(test="t", phase="call", outcome="failed", named=True):
    return {"test": test, "phase": phase, "outcome": outcome, "raised": "AssertionError", "named": named}


@pytest.mark.parametrize(
    ("lines", "killed"),
    [
        ([line("a"), line("b")], True),
        ([line("a[1]"), line("a[2]", outcome="passed"), line("b")], True),
        ([line("a"), line("b", outcome="passed")], False),  # one named test does not notice
        ([line("a"), line("b", named=False)], False),  # broken, not refused
        ([line("a"), line("b", phase="setup")], False),
        ([], False),
    ],
)
def test_a_guard_is_killed_by_all_its_tests_or_alive(lines, killed):
    assert verdict_of(Ran(tuple(lines)), ["a", "b"]).is_killed is killed
    assert not verdict_of(Ran(tuple(lines), "its process ended"), ["a", "b"]).is_killed


def test_a_case_is_found_by_its_name_or_a_part_of_it():
    assert is_case("tests/t.py::test_two[case]", "tests/t.py::test_two[x-case]")
    assert is_case("tests/t.py::test_two", "tests/t.py::test_two[x-case]")
    assert not is_case("tests/t.py::test_two[case]", "tests/t.py::test_two[case2]")
    assert not is_case("tests/t.py::test_two", "tests/t.py::test_one")


def test_a_prefix_is_no_part_of_a_number(project):
    found, rows = select(project, ["shipped"], ["h1"], [], "")
    assert [guard.name for guard in found] == ["h1-negative", "h1-large", "h1-limit"]
    assert rows == []
    found, rows = select(project, ["shipped"], [], ["000-1-2"], "")
    assert [row.number for row in rows] == ["000-1-2"]
    assert found == []


def test_a_name_that_is_none(capsys, project):
    assert main(["h999"], project, ["shipped"]) == 2
    assert "no guard" in capsys.readouterr().err


def test_h6_a_guard_that_nobody_tests_is_alive(capsys, project):
    """It is tried in a fork, then in a copy of the tree, where an argument's default can change too."""
    assert main(["h1"], project, ["shipped"]) == 1
    printed = capsys.readouterr().out
    assert "killed h1-negative: 1 red\n" in printed
    assert "ALIVE  h1-large: survived test_unaware\n" in printed
    assert "killed h1-limit: 1 red\n" in printed
    assert printed.endswith("3 guards, 1 alive\n")


def test_a_row_is_proved_by_the_tests_that_go_red(capsys, project):
    assert main(["--rows", "all"], project, ["shipped"]) == 1
    printed = capsys.readouterr().out
    assert "000-1-2 text\n" in printed
    assert "000-1-1 text\n" not in printed
    assert "1 rows proved, 1 not" in printed


def test_tests_that_are_red_anyway_prove_nothing(project):
    (project / "tests/test_module.py").write_text(TESTS.replace("== 3", "== 5"), encoding="utf-8")
    with pytest.raises(RuntimeError, match="red with everything in its place"):
        main(["h1"], project, ["shipped"])
