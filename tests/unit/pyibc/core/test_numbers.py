"""Fixed-width integers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyibc.core.errors import InvalidRequest
from pyibc.core.numbers import MAX_U64, be8, parse_u64, u64


def test_d5_bounds():
    assert (u64(0, "n"), u64(MAX_U64, "n")) == (0, MAX_U64)
    for number in (-1, MAX_U64 + 1):
        with pytest.raises(InvalidRequest, match="n "):
            u64(number, "n")


@given(st.integers(0, MAX_U64))
def test_be8(number):
    assert len(be8(number)) == 8
    assert int.from_bytes(be8(number), "big") == number
    assert parse_u64(str(number)) == number


def test_be8_sorts_as_the_numbers():
    numbers = [0, 1, 255, 256, 2**32, MAX_U64]
    assert sorted(map(be8, numbers)) == list(map(be8, numbers))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-1",
        "+1",
        "01",
        "00",
        "1 ",
        " 1",
        "1\n",
        "1_0",
        "0x1",
        "1e3",
        "\u0661",
        "²",
        str(MAX_U64 + 1),
        "9" * 10_000,
    ],
)
def test_d8_what_is_no_number(text):
    assert (parse_u64(text), parse_u64("10")) == (None, 10)
