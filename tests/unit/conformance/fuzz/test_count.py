"""Planted readers: each route to be quadratic shows in a count, and what is linear shows in none."""

import pytest

from conformance.fuzz.case import Case, open_attack
from conformance.fuzz.count import grown, work

SIZES = (1000, 2000, 4000)


def case(read):
    def prepare(size):
        data = bytes(size)
        return open_attack(size, lambda: read(data))

    return Case(read.__name__, prepare)


def each_with_each(data):
    found = 0
    for one in data[::16]:
        for other in data[::16]:
            found += one == other
    return "ok"


def the_rest_copied(data):
    while data:
        data = bytes(data[8:])
    return "ok"


def a_list_copied(data):
    kept = ()
    for each in data[::8]:
        kept = (*kept, bytes([each]))
    return "ok"


def a_list_searched(data):
    numbers = tuple(range(len(data) // 8))
    for number in numbers:
        numbers.index(number)
    return "ok"


def each_once(data):
    found = list(data)
    found.sort()
    return str(sum(found))


@pytest.mark.parametrize(
    ("read", "count"),
    [
        (each_with_each, "lines"),
        (the_rest_copied, "copied"),
        (a_list_copied, "copied"),
        (a_list_searched, "scanned"),
    ],
)
def test_what_is_quadratic_shows(read, count):
    found = grown(case(read), SIZES)

    assert found.exponents[count] > 1.7
    assert found.most == max(found.exponents.values())


def test_what_is_linear_does_not():
    assert grown(case(each_once), SIZES).most <= 1.1


def test_counts_are_the_same_each_time():
    """All but what is copied, which is what Python's allocator tells: it may grow a table of its own."""
    first, again = (work(case(each_with_each), 1000)._replace(copied=0) for _ in range(2))
    assert first == again


def test_what_is_no_refusal_is_raised():
    def fail(data):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        work(case(fail), 1)
