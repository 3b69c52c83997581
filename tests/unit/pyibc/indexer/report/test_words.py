import pytest

from pyibc.indexer.report.words import NONE, amount, count, duration, plain, share, short


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (None, NONE),
        (0.004, "0.00 s"),
        (9.99, "9.99 s"),
        (61.3, "61.3 s"),
        (120, "2.0 min"),
        (7200, "2.0 h"),
        (172800, "2.0 d"),
    ],
)
def test_durations_in_the_unit_that_suits(seconds, shown):
    assert duration(seconds) == shown


def test_numbers():
    assert (count(1234567), share(1, 3), share(0, 0)) == ("1,234,567", "33.3%", NONE)
    assert (amount("12345"), amount(None)) == ("12,345", "over 10^38")


def test_names_are_shortened_in_the_middle():
    assert short("a" * 40 + "z", 11) == "aaaaa…aaaaz"
    assert plain("\u96ea$x$\n") == "?$x$?"
    assert short(None) == NONE
