"""Rows of docs/spec-coverage.md: what is emptied, and what is called proved."""

import pytest

from tools.mutants.emptied import NoSuchCode, emptied
from tools.mutants.engine import codes_of
from tools.mutants.page import CoverageRow, Place, Shown, coverage_rows, unprovable
from tools.mutants.rows import faults_of
from tools.mutants.runs import Ran

SOURCE = '''
LIMIT = 7

def check(number, packet):
    """Says what it does."""
    if number < 0:
        raise Negative(number)
    elif number > LIMIT:
        raise TooLarge(number)
    path = packet.port_id_on_b, packet.port_id_on_b
    note(path)
    if packet.ready:
        return path
    return None

def numbers():
    yield 1

class Box:
    def __init__(self):
        self.kept = 1
    def give(self):
        return self.kept

class Facts:
    name: str
'''


class Negative(Exception):
    pass


class TooLarge(Exception):
    pass


class Packet:
    port_id_on_a, port_id_on_b, ready = "a", "b", True


def run(symbol="check", what=""):
    """The module without it, and what its functions noted."""
    noted = []
    found = emptied(SOURCE, symbol, what)
    names = {"Negative": Negative, "TooLarge": TooLarge, "note": noted.append}
    exec(compile(found.source, "m", "exec"), names)
    return names, noted, found.functions


def test_a_function_answers_nothing_and_a_generator_stays_one():
    names, noted, changed = run()
    assert (names["check"](-1, Packet), noted, changed) == (None, [], ("check",))
    assert names["check"].__doc__ == "Says what it does."
    assert list(run("numbers")[0]["numbers"]()) == []


def test_a_check_is_left_out_and_the_next_one_is_not():
    names, *_ = run(what="Negative")
    assert names["check"](-1, Packet) == ("b", "b")
    with pytest.raises(TooLarge):
        names["check"](8, Packet)
    names, *_ = run(what="TooLarge")
    with pytest.raises(Negative):
        names["check"](-1, Packet)
    assert names["check"](8, Packet) == ("b", "b")


def test_a_statement_is_left_out_a_condition_inverted_and_an_end_the_other():
    names, noted, _ = run(what="note")
    assert (names["check"](1, Packet), noted) == (("b", "b"), [])
    assert run(what="ready")[0]["check"](1, Packet) is None
    assert run(what="port_id_on_b")[0]["check"](1, Packet) == ("a", "a")


def test_a_class_does_nothing_and_keeps_what_it_is_made_of():
    names, _, changed = run("Box")
    assert names["Box"]().kept == 1
    assert names["Box"]().give() is None
    assert changed == ("Box.give",)
    assert (emptied(SOURCE, "Facts").fields, emptied(SOURCE, "LIMIT").values) == (("Facts.name",), ("LIMIT",))


@pytest.mark.parametrize(
    ("symbol", "what"), [("gone", ""), ("Box.gone", ""), ("check", "Gone"), ("LIMIT", "x")]
)
def test_code_that_is_not_there(symbol, what):
    with pytest.raises(NoSuchCode):
        emptied(SOURCE, symbol, what)


def test_what_is_emptied_has_the_closures_of_what_it_replaces():
    source = "class A:\n    def f(self):\n        return super().f()\n"
    whole, without = (codes_of(text, "m")["A.f"][0] for text in (source, emptied(source, "A.f").source))
    assert (whole.co_freevars, without.co_freevars) == (("__class__",), ("__class__",))


PLACES = Place("a.py", "f", ""), Place("b.py", "g", "Error")
TESTS = Shown("tests/t.py", "test_one", ""), Shown("tests/t.py", "test_two", "case")
ROW = CoverageRow("000-1-1", "text", PLACES, TESTS, (), "")
ONE, TWO = "tests/t.py::test_one", "tests/t.py::test_two[x-case]"


def ran(*red, fault=""):
    return Ran(tuple({"test": test, "phase": "call", "outcome": "failed"} for test in red), fault)


@pytest.mark.parametrize(
    ("each", "faults"),
    [
        ((ran(ONE), ran(TWO)), 0),
        ((ran(ONE, TWO), ran(TWO)), 0),
        ((ran(ONE, TWO), ran()), 1),  # one place can go
        ((ran(ONE), ran(ONE)), 1),  # one test stays green
        ((ran(), ran()), 4),
        ((ran(fault="no f"), ran(TWO)), 2),
    ],
)
def test_a_row_is_proved_by_all_its_places_and_all_its_tests(each, faults):
    assert len(faults_of(ROW, dict(zip(PLACES, each, strict=True)))) == faults


def test_a_page_is_read():
    cells = "| `a.py:f@port_id_on_b`<br>`b.py:g` | `tests/t.py::test_two[case]` |"
    first, second = coverage_rows(f"| 000-1-1 | text {cells}\n| 001-1-1 | again | 000-1-1 |\n")
    assert first.places == (Place("a.py", "f", "port_id_on_b"), Place("b.py", "g", ""))
    assert first.tests == (TESTS[1],)
    assert second.same_as == ("000-1-1",)
    assert unprovable("- 000-3.1-1: because\n") == {"000-3.1-1": "because"}
