from hypothesis import given
from hypothesis import strategies as st

from pyibc.indexer.blocks.coverage import Coverage, CoverageRow, Heights, coverage_rows, described, lacks

_heights = st.lists(st.integers(1, 60), max_size=40)


def is_canonical(found):
    return all(a <= b for a, b in found.ranges) and all(
        left[1] + 1 < right[0] for left, right in zip(found.ranges, found.ranges[1:], strict=False)
    )


@given(_heights)
def test_a_set_of_heights_is_what_was_put_in(heights):
    found = Heights.of(heights)
    assert is_canonical(found)
    assert list(found) == sorted(set(heights))
    assert found.count == len(set(heights))
    assert [height in found for height in range(70)] == [height in set(heights) for height in range(70)]


@given(_heights, st.integers(1, 62))
def test_a_height_is_added_wherever_it_falls(heights, height):
    found = Heights.of(heights).adding(height)
    assert found == Heights.of([*heights, height])
    assert found.adding(height) == found


@given(_heights, _heights)
def test_union_and_difference(one, other):
    a, b = Heights.of(one), Heights.of(other)
    assert a | b == b | a == Heights.of(one + other)
    assert a - b == Heights.of(set(one) - set(other))
    assert (a - b) | b == a | b


@given(_heights, st.integers(1, 60), st.integers(1, 60))
def test_what_lacks(heights, first, last):
    found = Heights.of(heights)
    assert found.lacking(first, last) == Heights.of(set(range(first, last + 1)) - set(heights))
    inside = set(range(min(heights), max(heights))) if heights else set()
    assert found.gaps() == Heights.of(inside - set(heights))
    assert is_canonical(found.gaps())


@given(_heights, st.integers(0, 70))
def test_the_lowest_and_the_others(heights, count):
    low, others = Heights.of(heights).split(count)
    ordered = sorted(set(heights))
    assert (low, others) == (Heights.of(ordered[:count]), Heights.of(ordered[count:]))
    assert is_canonical(low)
    assert is_canonical(others)


@given(_heights, _heights)
def test_a_height_known_in_part_is_in_a_gap(full, part):
    known = Coverage(Heights.of(full), Heights.of(part))
    every = set(full) | set(part)
    span = range(min(every), max(every) + 1) if every else range(0)
    assert known.gaps == Heights.of(set(span) - set(full))


def test_ranges_touching_become_one_and_empty_ones_vanish():
    assert Heights.spanning([(5, 9), (1, 4), (7, 8), (12, 11)]).ranges == ((1, 9),)


def test_coverage_of_a_chain_seen_twice_is_joined():
    one, other = Coverage(Heights.of([1, 2]), incarnation="aa"), Coverage(Heights.of([4]), Heights.of([3]))
    assert one | other == Coverage(Heights(((1, 2), (4, 4))), Heights.of([3]), "aa")


def test_rows_of_the_frame():
    known = {"b": Coverage(Heights.of([5])), "a": Coverage(Heights.of([1, 4]), incarnation="ee")}
    assert coverage_rows(known) == [
        CoverageRow("a", "ee", 1, 1, "covered"),
        CoverageRow("a", "ee", 2, 3, "gap"),
        CoverageRow("a", "ee", 4, 4, "covered"),
        CoverageRow("b", None, 5, 5, "covered"),
    ]


def test_words():
    def told(*ranges):
        return described(Heights.spanning(ranges))

    assert lacks(told()) == ""
    assert lacks(told((7, 7))) == "1 height is missing: 7"
    assert lacks(told((7, 9), (20, 1019))) == "1,003 heights are missing: 7-9, 20-1019"
    many = told(*((n, n) for n in range(1, 20, 2)), (30, 40), (50, 55))
    assert lacks(many, 2) == "27 heights are missing in 12 ranges, the longest: 30-40, 50-55"


def test_a_description_has_a_bounded_size():
    found = described(Heights.spanning((n, n + n % 3) for n in range(0, 30_000, 5)))
    assert (found["heights"], found["ranges"], found["first"], found["last"]) == (12_000, 6_000, 0, 29_996)
    assert len(found["longest"]) == 20
    assert all(last - first == 2 for first, last in found["longest"])
