"""Coins, and amounts as Go reads them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyibc.core.coin import coin, is_denom, parse_amount
from pyibc.core.numbers import MAX_U256

U256 = st.integers(-MAX_U256, MAX_U256)


def test_text():
    assert coin("uatom", 7) == ("uatom", 7, "7uatom")


@pytest.mark.parametrize("text", ["abc", "ibc/" + "F" * 64, "gamm/pool/1", "a:b.c_d-e", "A" * 128])
def test_names(text):
    assert is_denom(text)


@pytest.mark.parametrize("text", ["", "ab", "1ab", "/ab", "a b", "abc\n", "äbc", "A" * 129, "a+b"])
def test_what_is_no_name(text):
    assert not is_denom(text)


@given(U256)
def test_d10_every_base(number):
    sign, size = "-" if number < 0 else "", abs(number)
    for text in (
        str(number),
        f"{sign}0x{size:x}",
        f"{sign}0X{size:X}",
        f"{sign}0b{size:b}",
        f"{sign}0o{size:o}",
        f"{sign}0{size:o}",
    ):
        assert parse_amount(text) == number
    if number >= 0:
        assert parse_amount(f"+{number}") == number


@given(st.integers(MAX_U256 + 1, MAX_U256 * 8))
def test_more_than_256_bits_is_refused(number):
    for text in (str(number), hex(number), bin(number), oct(number), f"-{number}"):
        assert parse_amount(text) is None


@given(number=st.integers(0, 10**12), data=st.data())
def test_underscores_stand_between_digits(number, data):
    digits = str(number)
    at = data.draw(st.integers(0, len(digits)))
    text = f"{digits[:at]}_{digits[at:]}"
    expected = number if 0 < at < len(digits) else None
    assert parse_amount(text) == expected


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("010", 8),
        ("0_7", 7),
        ("0x_1", 1),
        ("1_000", 1000),
        ("0", 0),
        ("00", 0),
        ("-0", 0),
        ("0" * 500 + "1", 1),
    ],
)
def test_d10_gos_oddities(text, number):
    assert parse_amount(text) == number


@pytest.mark.parametrize(
    "text",
    [
        "",
        "+",
        "-",
        "+-1",
        "--1",
        " 1",
        "1 ",
        "1\n",
        "08",
        "0x",
        "0b2",
        "0xg",
        "1.0",
        "1e3",
        "_1",
        "1_",
        "1__0",
        "0__1",
        "0x__1",
        "\u0661",
        "²",
        "Infinity",
    ],
)
def test_d8_what_is_no_amount(text):
    assert (parse_amount(text), parse_amount("10")) == (None, 10)


@given(st.text("0123456789abcdefxXoObB_+- ", max_size=12) | st.text(max_size=12))
def test_any_text_agrees_with_pythons_reading_where_the_two_languages_agree(text):
    found = parse_amount(text)
    try:
        number = int(text, 0) if text.isascii() and text == text.strip() else None
    except ValueError:
        return
    assert found == number


def test_a_huge_text_takes_no_time():
    assert parse_amount("1" * 2_000_000) is None
    assert parse_amount("0x" + "_f" * 1_000_000) is None
