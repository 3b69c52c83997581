import pytest

from pyibc.indexer.chains.progress import Tip
from pyibc.indexer.report.options import Since, data_end, since

DAY = 86_400_000_000


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("1d", 9 * DAY),
        ("2w", -4 * DAY),
        ("12h", 10 * DAY - DAY // 2),
        ("30min", 10 * DAY - 1_800_000_000),
        ("5s", 10 * DAY - 5_000_000),
        ("all", None),
        ("1970-01-03", 2 * DAY),
        ("1970-01-03T01:00+01:00", 2 * DAY),
        ("1970-01-03 00:00:01", 2 * DAY + 1_000_000),
    ],
)
def test_the_beginning_of_the_window(text, start):
    assert since(text).start(10 * DAY) == start


@pytest.mark.parametrize(
    "text",
    [
        *("", "d", "0d", "-1d", "1.5d", "7 d", "1y", "yesterday", "1234567d", "\u0661d"),
        *("0001-01-01T00:00+14:00", "9999-12-31T23:59-14:00"),
    ],
)
def test_what_is_no_beginning_is_refused(text):
    with pytest.raises(ValueError, match="is not all, a duration such as 7d"):
        since(text)


def test_without_block_times_a_duration_has_everything_and_a_date_does_not():
    assert (since("1d").start(None), since("1970-01-02").start(None)) == (None, DAY)


def test_it_is_named():
    assert since("1d").text == "the last day of the data"
    assert since("12h").text == "the last 12 hours of the data"
    assert since("2024-05-06").text == "since 2024-05-06 00:00 UTC"
    assert since("all") == Since()


def test_the_data_ends_with_the_last_block_of_any_chain():
    tips = [Tip("a", 5, 7_000), Tip("b", 9, None), Tip("c", 2, 9_999)]
    assert data_end(tips, 10**15) == 9
    assert data_end([Tip("b", 9, None)], 10**15) is None


def test_a_clock_that_is_days_ahead_ends_nothing():
    ahead = [Tip("a", 5, (2 * DAY + 1) * 1000), Tip("b", 5, 7_000)]
    assert [data_end(ahead, now) for now in (DAY, DAY + 1)] == [7, 2 * DAY + 1]
    assert data_end(ahead[:1], 0) == 2 * DAY + 1  # there is no other
