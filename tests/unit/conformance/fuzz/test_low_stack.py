"""A reader's verdict does not hang on how much of the stack is left; one that does is found."""

from conformance.fuzz.all_cases import all_cases
from conformance.fuzz.case import Case, open_attack
from conformance.fuzz.low_stack import unlike
from tests.sampling import sample

SIZE = 4_000


def planted(read):
    return Case("planted", lambda size: open_attack(size, lambda: read(size)))


def test_a_reader_that_recurses_is_found():
    def recursive(size):
        return recursive(size - 10) if size > 0 else "ok"

    assert list(unlike([planted(recursive)], SIZE)) == [
        "planted: ok, with 400 calls left bug: RecursionError"
    ]


def test_a_reader_that_swallows_it_is_found():
    def recursive(size):
        try:
            return recursive(size - 10) if size > 0 else "ok"
        except RecursionError:
            return "refused"

    assert list(unlike([planted(recursive)], SIZE)) == ["planted: ok, with 400 calls left refused"]


def test_every_reader_needs_few_calls(made):
    cases = list(all_cases(made))
    assert list(unlike(sample(cases, 12, "shallow"), SIZE)) == []
