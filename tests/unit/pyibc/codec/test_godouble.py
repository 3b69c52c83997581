"""Numbers of JSON as Go's float64; the expected bits were printed by Go 1.26 (strconv.ParseFloat)."""

import struct
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyibc.codec.gonumbers import has_overflow, nearest_double, parse_double

LARGEST = 2**1024 - 2**971
HALFWAY = str(2**1024 - 2**970)


@pytest.mark.parametrize(
    ("text", "bits"),
    [
        ("0", "0000000000000000"),
        ("1.9", "3ffe666666666666"),
        ("0.1", "3fb999999999999a"),
        ("254.99999999999999999999", "406fe00000000000"),  # 255: rounded before anybody compares
        ("9007199254740993", "4340000000000000"),  # halfway, to even
        ("9007199254740993.0000000001", "4340000000000001"),
        ("9223372036854775807", "43e0000000000000"),
        ("2.2250738585072011e-308", "000fffffffffffff"),
        ("5e-324", "0000000000000001"),
        ("2.4703282292062328e-324", "0000000000000001"),
        ("2.4703282292062327e-324", "0000000000000000"),
        ("1e-400", "0000000000000000"),
        ("0e99999", "0000000000000000"),
        ("1.7976931348623158e308", "7fefffffffffffff"),
    ],
)
def test_as_go_reads_it(text, bits):
    (double,) = struct.unpack(">d", bytes.fromhex(bits))
    assert parse_double(text) == Fraction(double)
    assert parse_double(f"-{text}") == -Fraction(double)


@pytest.mark.parametrize(
    "text", ["1e309", "1.7976931348623159e308", HALFWAY, "9" * 310, "1e99999", f"1e{'9' * 5000}"]
)
def test_out_of_range(text):
    assert parse_double(text) is None
    assert has_overflow(b'{"a":[1,%b]}' % text.encode())


def test_the_largest():
    assert parse_double(str(int(HALFWAY) - 1)) == LARGEST
    assert parse_double(f"{int(HALFWAY) - 1}.9e0") == LARGEST


@pytest.mark.parametrize("text", ["", "x", "1.", ".5", "0x10", "\u0661", "1e"])
def test_what_is_no_number(text):
    with pytest.raises(ValueError, match="no JSON number"):
        parse_double(text)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_double_is_read_back(double):
    assert parse_double(repr(double).replace("+", "")) == Fraction(double)


@given(st.fractions(min_value=0, max_value=10**30))
def test_nearest_is_what_the_processor_makes_of_it(exact):
    assert nearest_double(exact) == Fraction(exact.numerator / exact.denominator)


@pytest.mark.parametrize(
    "json",
    [
        b"[1e308]",
        b'{"a":"1e999"}',  # a text
        b'{"1e999":0}',
        b'["\\"",1e-999]',
        b"[0.%b]" % (b"1" * 400),
        b"[1e-%b]" % (b"9" * 400),
        b"[%be-300]" % (b"1" * 400),
    ],
)
def test_nothing_in_it_is_out_of_range(json):
    assert not has_overflow(json)


def test_h172_digits_beyond_all_need_cost_nothing():
    digits = "3" * 100_000
    assert parse_double(f"0.{digits}") == parse_double(f"0.{digits[:800]}1")
    assert parse_double(f"{digits}e-99999") == parse_double(f"3.{digits[:900]}")
