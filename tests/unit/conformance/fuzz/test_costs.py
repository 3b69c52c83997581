"""Hostile input of every kind: reading it takes no more than its size does, and ends in no surprise.

Work is counted, not timed (`conformance/fuzz/count.py`), so small inputs show what large ones would cost.
"""

import pytest

from conformance.fuzz.all_cases import all_cases
from conformance.fuzz.count import grown
from conformance.fuzz.known_faults import KNOWN
from conformance.fuzz.report import MAX_SLOPE
from tests.sampling import sample

SIZES = (1000, 2000, 4000)
LARGER = (8, 32)
"""Factors of the sizes at which a case is counted again before it is found at fault: a table that doubles
between two sizes does not at others, while real growth persists."""


def chosen(cases, of_each):
    """So many cases of a sample of the readers, at other places in each."""
    readers = {}
    for case in cases:
        readers.setdefault(reader(case.name), []).append(case)
    for number, some in enumerate(sample(readers.values(), len(readers) // 16, "readers")):
        step = max(1, len(some) // of_each)
        yield from some[number % step :: step][:of_each]


BY_HAND = ("proof:", "header", "solo", "payment", "fee", "many")


def reader(name):
    """What reads a case: its name up to the place in it; of one made by hand, its whole name."""
    words = name.split(" ")
    if words[0] == "packet":
        return name.partition(":")[0]
    if words[0] in BY_HAND:
        return name
    return " ".join(words[:2]) if words[0] in {"query", "signed", "unsigned", "proof"} else words[0]


def wrong(cases, sizes):
    """Name -> what is wrong with it."""
    found = {}
    for case in cases:
        try:
            growth = grown(case, sizes)
            for factor in LARGER:
                if growth.most > MAX_SLOPE:
                    growth = grown(case, [size * factor for size in sizes])
        except Exception as error:
            found[case.name] = repr(error)[:200]
            continue
        if growth.most > MAX_SLOPE:
            found[case.name] = str(growth.exponents)
    return found


def judged(made, of_each, sizes):
    """What is wrong and not known; what is known and not wrong."""
    cases = list(all_cases(made))
    tried = {case.name: case for case in (*chosen(cases, of_each), *(c for c in cases if c.name in KNOWN))}
    found = wrong(tried.values(), sizes)
    return {name: why for name, why in found.items() if name not in KNOWN}, KNOWN.keys() - found.keys()


def test_reading_is_linear(made):
    assert judged(made, 1, SIZES) == ({}, set())


@pytest.mark.exhaustive
def test_reading_more_of_it_is_linear(made):
    assert judged(made, 4, SIZES) == ({}, set())
