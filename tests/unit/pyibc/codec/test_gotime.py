"""Go's own answers say what a time is (go_times.json)."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyibc.codec.gotime import GO_ZERO_TIME_NS, duration_ns, format_rfc3339, is_timestamp, parse_rfc3339

GO = json.loads(Path(__file__).with_name("go_times.json").read_text(encoding="utf-8"))["times"]
READ = [each for each in GO if each["ns"] is not None]
REFUSED = [each["text"] for each in GO if each["ns"] is None]
YEAR_0_NS, LAST_NS = -62_167_219_200 * 10**9, 253_402_300_800 * 10**9 - 1


def test_the_vectors_are_there():
    assert len(READ) > 25
    assert len(REFUSED) > 40


def test_times_that_go_reads():
    for each in READ:
        assert parse_rfc3339(each["text"]) == each["ns"], each
        if each["printed"] is None:
            with pytest.raises(ValueError, match="year"):
                format_rfc3339(each["ns"])
        else:
            assert format_rfc3339(each["ns"]) == each["printed"], each


def test_times_that_go_refuses():
    for text in REFUSED:
        with pytest.raises(ValueError, match=r"time|offset"):
            assert parse_rfc3339(text) is None, text


@given(st.integers(YEAR_0_NS, LAST_NS))
def test_d28_every_time_is_read_back(time_ns):
    assert parse_rfc3339(format_rfc3339(time_ns)) == time_ns


@given(st.integers(GO_ZERO_TIME_NS // 1000, LAST_NS // 1000))
def test_the_calendar_is_the_one_of_datetime(microseconds):
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds)
    assert parse_rfc3339(moment.isoformat()) == microseconds * 1000


@pytest.mark.parametrize("time_ns", [YEAR_0_NS - 1, LAST_NS + 1])
def test_years_that_go_does_not_print(time_ns):
    with pytest.raises(ValueError, match="year"):
        format_rfc3339(time_ns)


def test_timestamps_of_protobuf_have_the_years_1_to_9999():
    first, last = GO_ZERO_TIME_NS // 10**9, LAST_NS // 10**9
    assert is_timestamp(first, 0)
    assert is_timestamp(last, 10**9 - 1)
    assert not is_timestamp(first - 1, 10**9 - 1)
    assert not is_timestamp(last + 1, 0)
    assert not is_timestamp(0, -1)
    assert not is_timestamp(0, 10**9)


def test_the_longest_duration_backwards_is_one():
    """All 64 bits of nanoseconds, as Go's time.Duration."""
    assert duration_ns(-9_223_372_036, -854_775_808) == -(2**63)
    assert duration_ns(9_223_372_036, 854_775_807) == 2**63 - 1
    assert duration_ns(-9_223_372_036, -854_775_809) is None
    assert duration_ns(9_223_372_036, 854_775_808) is None
    assert [duration_ns(*each) for each in ((1, -1), (-1, 1), (0, 10**9), (0, -(10**9)))] == [None] * 4
