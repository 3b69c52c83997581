"""The tool that empties what docs/spec-coverage.md names: what it leaves out, and what it calls proved."""

import pytest

from tools.coverage_edit import NoSuchCode, emptied
from tools.coverage_mutants import Ran, cases, faults_of, main
from tools.coverage_page import CoverageRow, Place, Shown, coverage_rows, unprovable
from tools.coverage_report import codes_of

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
    whole, without = (codes_of(text, "m")["A.f"] for text in (source, emptied(source, "A.f").source))
    assert (whole.co_freevars, without.co_freevars) == (("__class__",), ("__class__",))


PLACES = Place("a.py", "f", ""), Place("b.py", "g", "Error")
TESTS = Shown("tests/t.py", "test_one", ""), Shown("tests/t.py", "test_two", "case")
ROW = CoverageRow("000-1-1", "text", PLACES, TESTS, (), "")
NODES = {TESTS[0]: {"tests/t.py::test_one"}, TESTS[1]: {"tests/t.py::test_two[x-case]"}}
ONE, TWO = Ran(frozenset(NODES[TESTS[0]])), Ran(frozenset(NODES[TESTS[1]]))
NONE = Ran(frozenset())


@pytest.mark.parametrize(
    ("ran", "faults"),
    [
        ((ONE, TWO), 0),
        ((Ran(ONE.red | TWO.red), TWO), 0),
        ((Ran(ONE.red | TWO.red), NONE), 1),  # one place can go
        ((ONE, ONE), 1),  # one test stays green
        ((NONE, NONE), 4),
        ((Ran(frozenset(), "no f"), TWO), 2),
    ],
)
def test_a_row_is_proved_by_all_its_places_and_all_its_tests(ran, faults):
    assert len(faults_of(ROW, dict(zip(PLACES, ran, strict=True)), NODES)) == faults


def test_a_case_is_found_by_its_name_or_a_part_of_it():
    nodes = ["tests/t.py::test_two[x-case]", "tests/t.py::test_two[case2]", "tests/t.py::test_one"]
    assert cases(TESTS[1], nodes) == {nodes[0]}
    assert cases(TESTS[0], nodes) == {nodes[2]}


def test_a_page_is_read(root):
    page = (root / "docs/spec-coverage.md").read_text(encoding="utf-8")
    found = {row.number: row for row in coverage_rows(page)}
    ends = found["003-timeout-14"].places
    assert Place("handlers/packet/timeout.py", "prove_unreceived", "port_id_on_b") in ends
    assert found["001-3.2-1"].same_as == ("000-3.2.3-1",)
    assert unprovable("- 000-3.1-1: because\n") == {"000-3.1-1": "because"}


@pytest.mark.slow
def test_the_wrong_port_in_a_proof_is_noticed(capsys):
    assert main(["--only", "003-timeout-14"]) == 0
    assert capsys.readouterr().out.endswith("1 rows proved, 0 not\n")
