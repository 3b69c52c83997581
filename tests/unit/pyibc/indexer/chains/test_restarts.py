"""Chains that were restarted under their id, told apart by the times of their blocks."""

import itertools
import random

import pytest

from pyibc.indexer.chains.restarts import (
    BY_TIMES,
    Comparison,
    Known,
    Piece,
    joined_incarnations,
)

S = 10**9
YEAR = 10**6  # seconds from one start of the chain to the next


def pieces_of(*files):
    """Pieces and their comparison, from (first, last, start in seconds) or dicts of times by height."""
    pieces, compared = [], Comparison()
    for number, (told, seconds) in enumerate(files):
        times = {height: None if time is None else time * S for height, time in seconds.items()}
        known = [time for time in times.values() if time is not None]
        span = (min(known), max(known)) if known else (None, None)
        pieces.append(Piece(number, told, min(times), max(times), *span))
        for height, time in times.items():
            compared.add(number, height, time)
    return pieces, compared


def blocks(first, last, start, told=""):
    return told, {height: start + height for height in range(first, last + 1)}


def incarnations_of(chain_id, pieces, compared):
    """Names of pieces that are read together."""
    found = joined_incarnations(chain_id, {}, dict(enumerate(pieces)), compared)
    return [found[number] for number in range(len(pieces))]


def test_files_of_one_chain_keep_what_they_tell():
    pieces, compared = pieces_of(blocks(1, 50, 0), blocks(30, 90, 0), blocks(200, 300, 0))
    assert incarnations_of("a-1", pieces, compared) == ["", "", ""]


def test_files_that_contradict_each_other_at_all_heights_are_of_two_chains():
    pieces, compared = pieces_of(blocks(1, 50, 0), blocks(1, 30, YEAR))
    one, other = incarnations_of("a-1", pieces, compared)
    assert (one, len(other)) == ("", 16)
    assert incarnations_of("b-1", pieces, compared) != [one, other]


def test_a_few_heights_that_differ_are_no_other_chain():
    told, times = blocks(1, 50, 0)
    damaged = times | dict.fromkeys((3, 4, 5), 7 * YEAR)
    pieces, compared = pieces_of((told, times), (told, damaged))
    assert incarnations_of("a-1", pieces, compared) == ["", ""]


def test_two_starts_from_one_genesis_agree_at_the_first_height_alone():
    told, times = blocks(1, 50, 0, told="aa")
    again = {height: time + (YEAR if height > 1 else 0) for height, time in times.items()}
    pieces, compared = pieces_of((told, times), (told, again))
    one, other = incarnations_of("a-1", pieces, compared)
    assert (one, other) == ("aa", other)
    assert other not in ("", "aa")


PARTS = [
    *(blocks(first, last, 0) for first, last in ((1, 50), (51, 100))),
    *(blocks(first, last, YEAR) for first, last in ((1, 30), (31, 60), (61, 90))),
]


@pytest.mark.parametrize("order", [*itertools.permutations(range(5))][::7])
def test_pieces_are_of_the_chain_whose_times_they_continue_in_any_order(order):
    found = incarnations_of("a-1", *pieces_of(*(PARTS[place] for place in order)))
    names = dict(zip(order, found, strict=True))
    assert names[0] == names[1]
    assert names[2] == names[3] == names[4] != names[0]
    first = incarnations_of("a-1", *pieces_of(*PARTS))
    assert [names[place] for place in range(5)] == first


def test_a_longer_chain_is_no_continuation_of_heights_that_ended_above_its_first():
    sparse, later = ("", {2: 2, 83: 83}), ("", {3: YEAR + 3, 120: YEAR + 120})
    assert len(set(incarnations_of("a-1", *pieces_of(sparse, later)))) == 2
    known = {-1: Known("", frozenset(), 2, 83, 2 * S, 83 * S)}
    assert joined_incarnations("a-1", known, {0: pieces_of(later)[0][0]}, Comparison())[0]


def test_an_earlier_chain_is_not_before_a_known_one_whose_heights_it_has():
    known = {-1: Known("", frozenset(), 3, 120, (YEAR + 3) * S, (YEAR + 120) * S)}
    [piece], compared = pieces_of(("", {2: 2, 83: 83}))
    assert joined_incarnations("a-1", known, {0: piece}, compared)[0]


def test_files_that_agree_with_one_that_names_its_incarnation_are_of_it():
    files = (blocks(1, 50, 0, told="aa"), blocks(20, 70, 0), blocks(1, 40, YEAR), blocks(30, 80, YEAR))
    found = incarnations_of("a-1", *pieces_of(*files))
    assert found[:2] == ["aa", "aa"]
    assert found[2] == found[3]
    assert found[2] not in ("", "aa")


def test_blocks_without_times_decide_nothing():
    files = (("", dict.fromkeys(range(1, 9))), ("", dict.fromkeys(range(1, 9))), blocks(1, 9, YEAR))
    assert incarnations_of("a-1", *pieces_of(*files)) == ["", "", ""]


def piece(file, told, first, last, start=0):
    return Piece(file, told, first, last, (start + first) * S, (start + last) * S)


def test_parts_of_one_file_are_of_one_chain():
    compared = Comparison()
    parts = [piece(0, "", 1, 1), piece(0, "aa", 2, 9), piece(1, "aa", 1, 9, YEAR)]
    for height in range(1, 10):
        compared.add(0 if height == 1 else 1, height, height * S)
        compared.add(2, height, (YEAR + height) * S)
    one, two, other = incarnations_of("a-1", parts, compared)
    assert (one, two) == ("aa", "aa")
    assert other not in ("", "aa")


def test_incarnations_that_one_file_names_are_not_joined():
    compared = Comparison()
    parts = [piece(0, "aa", 1, 9), piece(0, "bb", 1, 9, YEAR), piece(1, "", 1, 9)]
    for height in range(1, 10):
        compared.add(0, height, height * S)
        compared.add(1, height, (YEAR + height) * S)
        compared.add(2, height, height * S)
    assert incarnations_of("a-1", parts, compared) == ["aa", "bb", "aa"]


def joined(known, *files, agreeing=(), differing=(), continuing=()):
    """Names of files beside known chains (name, first, last, start, what their blocks name)."""
    pieces, compared = pieces_of(*files)
    chains = {
        -number: Known(name, frozenset(told), first, last, (first + start) * S, (last + start) * S)
        for number, (name, first, last, start, *told) in enumerate(known, 1)
    }
    for pair, heights in agreeing:
        compared.count(pair, heights, 0)
    for pair, heights in differing:
        compared.count(pair, 0, heights)
    found = joined_incarnations("a-1", chains, dict(enumerate(pieces)), compared, continuing)
    return [found[number] for number in range(len(pieces))]


def test_of_several_chains_that_are_new_the_earliest_has_the_plain_name():
    newer, older, newest = joined([], blocks(1, 30, YEAR), blocks(1, 50, 0), blocks(1, 9, 2 * YEAR))
    assert older == ""
    assert newer != newest
    assert {name[0] for name in (newer, newest)} == {BY_TIMES}
    assert joined([], blocks(1, 9, 0), blocks(1, 9, YEAR, told="aa")) == ["", "aa"]
    older, newer = joined([], blocks(1, 9, 0, told="aa"), blocks(1, 9, YEAR))
    assert (older, newer[0]) == ("aa", BY_TIMES)


def test_known_chains_keep_their_names():
    known = [("", 20, 40, YEAR)]
    older, newer = joined(known, blocks(1, 30, 0), blocks(1, 30, YEAR), differing=[((-1, 0), 11)])
    assert newer == ""
    assert older[0] == BY_TIMES
    both = [*known, (older, 1, 30, 0)]
    assert joined(both, blocks(31, 60, 0), differing=[((-1, 0), 10)]) == [older]


@pytest.mark.parametrize(
    ("file", "same"),
    [
        (blocks(41, 60, YEAR), True),
        (blocks(1, 9, YEAR), True),
        (blocks(41, 60, 0), False),
        (blocks(1, 9, 2 * YEAR), False),
        (("", dict.fromkeys(range(1, 9))), True),
    ],
)
def test_lower_heights_with_later_times_are_not_of_a_known_chain(file, same):
    (name,) = joined([("", 20, 40, YEAR)], file)
    assert (name == "") is same


def test_a_piece_that_agrees_with_two_known_chains_joins_neither_to_the_other():
    known = [("", 1, 1, 0), ("t1", 1, 40, 0)]
    files = (blocks(1, 30, 0), blocks(50, 60, 0))
    agreeing = [((-1, 0), 1), ((-2, 0), 30), ((0, 1), 5)]
    assert joined(known, *files, agreeing=agreeing) == ["t1", "t1"]


def test_a_piece_is_of_the_chain_whose_incarnation_it_names_or_of_the_latest_before():
    known = [("", 1, 40, 0, "aa"), ("t1", 1, 40, YEAR), ("cc", 1, 40, 2 * YEAR, "cc")]
    assert joined(known, blocks(41, 50, 3 * YEAR, told="aa")) == [""]
    assert joined(known, blocks(41, 50, YEAR)) == ["t1"]
    assert joined(known, blocks(41, 50, 3 * YEAR)) == ["cc"]
    assert joined(known, blocks(41, 50, 3 * YEAR, told="bb")) == ["t1"]
    assert joined(known[::2], blocks(41, 50, 3 * YEAR, told="bb")) == ["bb"]


def test_a_file_that_goes_on_is_of_its_chain_unless_it_contradicts_it():
    known = [("", 1, 40, 0), ("t1", 1, 40, YEAR)]
    untimed = ("", dict.fromkeys(range(41, 50)))
    assert joined(known, untimed, continuing=[(-2, 0)]) == ["t1"]
    assert joined(known, untimed, continuing=[(-1, 0)]) == [""]
    file = blocks(30, 50, YEAR)
    assert joined(known, file, differing=[((-1, 0), 11)], continuing=[(-1, 0)]) == ["t1"]
    # A few damaged heights do not contradict it.
    same = blocks(30, 50, 0)
    assert joined(known, same, agreeing=[((-1, 0), 10)], differing=[((-1, 0), 1)], continuing=[(-1, 0)]) == [
        ""
    ]
    # A file goes on with a chain that was restarted in it.
    assert joined([("", 20, 40, 0, "aa")], blocks(1, 9, YEAR), continuing=[(-1, 0)])[0][0] == BY_TIMES


def test_files_that_name_one_incarnation_are_of_one_chain_unless_they_contradict_each_other():
    known = [("", 37, 60, YEAR)]
    files = blocks(1, 35, 0, told="aa"), blocks(45, 51, 0, told="aa")
    assert joined(known, *files, differing=[((-1, 1), 7)]) == ["aa", "aa"]
    older, newer = joined([], blocks(1, 9, 0, told="aa"), blocks(2, 20, YEAR, told="aa"))
    assert (older, newer[0]) == ("aa", BY_TIMES)


def test_times_are_compared_in_whole_seconds():
    compared = Comparison()
    for place, time_ns in enumerate((7 * S + 284_250_817, 7 * S + 284_250_000, 7 * S, 8 * S)):
        compared.add(place, 5, time_ns)
    assert {*compared.agreeing()} == {(0, 1), (0, 2)}
    assert {*compared.contradicting()} == {(0, 3)}


def test_many_chains_of_one_id_take_time_in_proportion():
    known = [(f"t{number}", 1, 9, number * YEAR) for number in range(2000)]
    files = [blocks(1, 1, (2000 + number) * YEAR) for number in range(2000)]
    found = joined(known, *files, differing=[((-1 - number, number), 1) for number in range(2000)])
    assert len(found) == 2000


class Arriving:
    """Chains of one id whose files arrive one after the other, as the pipeline has them."""

    def __init__(self):
        self.times = {}  # by name and height

    def join(self, start, first, last):
        """Return the name of a file."""
        known, compared, file = {}, Comparison(), blocks(first, last, start)
        for number, (name, times) in enumerate(sorted(self.times.items()), 1):
            spans = (min(times), max(times), min(times.values()) * S, max(times.values()) * S)
            known[-number] = Known(name, frozenset(), *spans)
            same = [times[height] == time for height, time in file[1].items() if height in times]
            compared.count((-number, 0), sum(same), len(same) - sum(same))
        pieces, _ = pieces_of(file)
        name = joined_incarnations("a-1", known, {0: pieces[0]}, compared)[0]
        self.times.setdefault(name, {}).update(file[1])
        return name


@pytest.mark.parametrize("seed", range(20))
def test_chains_whose_files_come_in_the_order_of_heights_are_never_mixed(seed):
    drawn, arriving = random.Random(seed), Arriving()
    waiting = {
        chain * YEAR: [
            (first, first + 9 + drawn.randint(0, 4)) for first in range(1, drawn.randint(20, 80), 10)
        ]
        for chain in range(3)
    }
    names = {start: set() for start in waiting}
    while any(waiting.values()):
        start = drawn.choice([start for start, files in waiting.items() if files])
        names[start].add(arriving.join(start, *waiting[start].pop(0)))
    assert all(len(some) == 1 for some in names.values())
    assert len(set.union(*names.values())) == 3
