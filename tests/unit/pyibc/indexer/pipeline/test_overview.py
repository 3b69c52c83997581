"""Ranges of heights in a batch: whether blocks must be compared with those that are known."""

from types import SimpleNamespace

import pytest

from pyibc.indexer.blocks.block import ChainKey
from pyibc.indexer.blocks.coverage import Heights
from pyibc.indexer.pipeline.chains import unreadable_of
from pyibc.indexer.pipeline.silver import Overview

KNOWN = {(ChainKey("a-1"), True): Heights(((1, 9),)), (ChainKey("a-1"), False): Heights(((20, 21),))}


def row(first, last, chain="a-1", incarnation=None, partial=False, records=None, problems=0):
    return SimpleNamespace(
        chain=chain,
        incarnation=incarnation,
        partial=partial,
        first=first,
        last=last,
        first_ns=first * 10,
        last_ns=None,
        records=last - first + 1 if records is None else records,
        events=7,
        problems=problems,
    )


@pytest.mark.parametrize(
    ("rows", "shared"),
    [
        ([row(10, 19), row(22, 30)], False),
        ([row(9, 10)], True),
        ([row(19, 20)], True),  # known in part
        ([row(10, 12, records=4)], True),
        ([row(10, 12), row(12, 14, partial=True)], True),
        ([row(10, 12), row(10, 12, incarnation="00ff"), row(10, 12, chain="b-1")], False),
        ([row(1, 9, chain="b-1")], False),
        ([row(5, 5, partial=None)], False),  # a line that cannot be read
    ],
)
def test_heights_that_are_told_more_than_once(rows, shared):
    assert Overview(rows).shares_heights(KNOWN) is shared


def test_weight_problems_and_observations():
    seen = Overview([row(10, 12), row(5, 5, partial=None, problems=1), row(20, 20, "b-1", "00ff", True)])
    assert (seen.weight, seen.has_problems) == (3 + 1 + 1 + 21, True)
    assert not Overview([row(10, 12)]).has_problems
    assert [(each.chain, each.incarnation, *each.blocks) for each in seen.observations()] == [
        ("a-1", None, 10, 12, 100, None, True),
        ("a-1", None, 5, 5, 50, None, None),
        ("b-1", "00ff", 20, 20, 200, None, False),
    ]


def test_an_unreadable_line_is_of_its_chain_or_of_the_only_one_with_its_id():
    one, other, only, bare = (
        ChainKey("a-1", "00"),
        ChainKey("a-1", "ff"),
        ChainKey("b-1", "00"),
        ChainKey("c-1"),
    )
    told = {(one, None): 3, (ChainKey("a-1"), None): 4, (ChainKey("b-1"), None): 5, (bare, None): 6}
    told |= {(ChainKey("b-1", "ff"), None): 7, (ChainKey("d-1"), None): 8, (only, True): 9}
    state = SimpleNamespace(ranges={key: Heights.of([height]) for key, height in told.items()})
    found = unreadable_of(state, [one, other, only, bare])
    assert found == {one: Heights.of([3]), other: Heights(), only: Heights.of([5]), bare: Heights.of([6])}
