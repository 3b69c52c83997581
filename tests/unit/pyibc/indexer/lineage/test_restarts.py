"""Chains that were restarted under their id, told apart by the times of their blocks."""

import itertools

import pytest

from pyibc.indexer.lineage.restarts import Comparison, Piece, incarnations_of

YEAR = 10**6  # seconds from one start of the chain to the next


def pieces_of(*files):
    """Pieces and their comparison, from (first, last, start in seconds) or dicts of times by height."""
    pieces, compared = [], Comparison()
    for number, (told, times) in enumerate(files):
        known = [time for time in times.values() if time is not None]
        span = (min(known), max(known)) if known else (None, None)
        pieces.append(Piece(number, told, min(times), max(times), *span))
        for height, time in times.items():
            compared.add(number, height, time)
    return pieces, compared


def blocks(first, last, start, told=""):
    return told, {height: start + height for height in range(first, last + 1)}


def clusters(found):
    return [found.index(name) for name in found]


def test_files_of_one_chain_keep_what_they_tell():
    pieces, compared = pieces_of(blocks(1, 50, 0), blocks(30, 90, 0), blocks(200, 300, 0))
    assert incarnations_of("a-1", pieces, compared) == ["", "", ""]


def test_files_that_contradict_each_other_at_all_heights_are_of_two_chains():
    pieces, compared = pieces_of(blocks(1, 50, 0), blocks(1, 30, YEAR))
    one, other = incarnations_of("a-1", pieces, compared)
    assert one != other
    assert all(len(name) == 16 for name in (one, other))
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


def test_lower_heights_with_later_times_are_of_another_chain():
    found = incarnations_of("a-1", *pieces_of(blocks(60, 90, 0), blocks(1, 30, YEAR)))
    assert found[0] != found[1]
    earlier = incarnations_of("a-1", *pieces_of(blocks(60, 90, 0), blocks(1, 30, 0)))
    assert earlier == ["", ""]


def test_files_that_agree_with_one_that_names_its_incarnation_are_of_it():
    files = (blocks(1, 50, 0, told="aa"), blocks(20, 70, 0), blocks(1, 40, YEAR), blocks(30, 80, YEAR))
    found = incarnations_of("a-1", *pieces_of(*files))
    assert found[:2] == ["aa", "aa"]
    assert found[2] == found[3]
    assert found[2] not in ("", "aa")


def test_blocks_without_times_decide_nothing():
    files = (("", dict.fromkeys(range(1, 9))), ("", dict.fromkeys(range(1, 9))), blocks(1, 9, YEAR))
    assert incarnations_of("a-1", *pieces_of(*files)) == ["", "", ""]


def test_parts_of_one_file_are_of_one_chain():
    compared = Comparison()
    parts = [Piece(0, "", 1, 1, 1, 1), Piece(0, "aa", 2, 9, 2, 9), Piece(1, "aa", 1, 9, YEAR, YEAR + 9)]
    for height in range(1, 10):
        compared.add(0 if height == 1 else 1, height, height)
        compared.add(2, height, YEAR + height)
    one, two, other = incarnations_of("a-1", parts, compared)
    assert (one, two) == ("aa", "aa")
    assert other not in ("", "aa")


def test_many_files_take_time_in_proportion():
    files = [blocks(height, height, YEAR * (number % 3)) for number in range(3) for height in range(1, 2001)]
    found = incarnations_of("a-1", *pieces_of(*files))
    assert len(set(found)) == 3
