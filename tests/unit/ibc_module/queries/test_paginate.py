"""Pages: together they are the list, each in the SDK's terms; bad requests are refused."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyibc.core.errors import InvalidRequest
from pyibc.core.wire.requests import DEFAULT_LIMIT, paginate
from pyibc.proto.cosmos.base.query.v1beta1.pagination_pb2 import PageRequest
from tests.sampling import rounds

PREFIX = b"list/"


def page_of(entries, keep=lambda below: True, **fields):
    def scan(start, end):
        return ((k, v) for k, v in sorted(entries.items()) if start <= k and (end is None or k < end))

    return paginate(
        scan,
        PREFIX,
        PageRequest(**fields),
        lambda below, raw: (below, raw) if keep(below) else None,
        lambda key: len(key) <= 4,
    )


def listed(count):
    """`count` entries of the list, with neighbours on either side that are not in it."""
    entries = {PREFIX + b"%03d" % n: b"%d" % n for n in range(count)}
    return entries | {b"list": b"before", b"list0": b"after", b"lisu": b"far after"}


def numbers(items):
    return [int(raw) for _, raw in items]


def test_the_first_page_has_a_hundred_and_counts_all():
    items, page = page_of(listed(105))
    assert numbers(items) == list(range(DEFAULT_LIMIT))
    assert (page.next_key, page.total) == (b"100", 105)


def test_a_limit_is_kept_and_nothing_is_counted_unasked():
    items, page = page_of(listed(5), limit=2)
    assert (numbers(items), page.next_key, page.total) == ([0, 1], b"002", 0)


def test_count_total():
    for limit in (2, 5, 9):
        items, page = page_of(listed(5), limit=limit, count_total=True)
        assert (len(items), page.total) == (min(limit, 5), 5)


def test_a_key_leads_on_and_is_not_counted():
    items, page = page_of(listed(5), key=b"002", limit=2, count_total=True)
    assert (numbers(items), page.next_key, page.total) == ([2, 3], b"004", 0)


def test_a_key_that_vanished_leads_to_what_comes_after():
    entries = listed(5)
    del entries[PREFIX + b"002"]
    assert numbers(page_of(entries, key=b"002", limit=2)[0]) == [3, 4]
    assert numbers(page_of(entries, key=b"002", limit=2, reverse=True)[0]) == [1, 0]


def test_an_offset_beyond_the_end_is_an_empty_page():
    items, page = page_of(listed(3), offset=9, count_total=True)
    assert (items, page.next_key, page.total) == ([], b"", 3)


@pytest.mark.parametrize(
    "fields",
    [
        {"key": b"1", "offset": 1},
        {"key": b"12345"},
    ],
)
def test_bad_pages_are_refused(fields):
    with pytest.raises(InvalidRequest, match="pagination"):
        page_of(listed(3), **fields)


@pytest.mark.parametrize("much", [2**32 - 1, 2**63 - 1, 2**63, 2**64 - 1])
def test_the_largest_limit_and_offset_are_fine(much):
    items, page = page_of(listed(3), limit=much, count_total=True)
    assert (numbers(items), page.next_key, page.total) == ([0, 1, 2], b"", 3)
    items, page = page_of(listed(3), offset=much, limit=much, count_total=True)
    assert (items, page.next_key, page.total) == ([], b"", 3)


@settings(max_examples=rounds(15, 60), deadline=None)
@given(
    members=st.sets(st.integers(0, 200)),
    limit=st.integers(1, 30),
    reverse=st.booleans(),
    parity=st.booleans(),
    by_key=st.booleans(),
)
def test_pages_in_a_row_are_the_list(members, limit, reverse, parity, by_key):
    entries = {PREFIX + b"%03d" % n: b"%d" % n for n in members} | {b"list": b"", b"list0": b""}
    keep = (lambda below: int(below) % 2 == 0) if parity else (lambda below: True)
    expected = sorted((n for n in members if not parity or n % 2 == 0), reverse=reverse)
    seen, fields = [], {}
    while True:
        items, page = page_of(entries, keep, limit=limit, reverse=reverse, **fields)
        seen += numbers(items)
        assert len(items) <= limit
        if not page.next_key:
            break
        assert len(items) == limit
        fields = {"key": page.next_key} if by_key else {"offset": len(seen)}
    assert seen == expected
