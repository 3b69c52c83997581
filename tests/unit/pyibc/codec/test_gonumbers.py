"""Durations as Go's time.ParseDuration reads them; the expected numbers were printed by Go 1.26."""

import pytest

from pyibc.codec.gonumbers import MAX_LENGTH, parse_duration

SECOND = 10**9
MOST = 2**63 - 1


@pytest.mark.parametrize(
    ("text", "ns"),
    [
        ("0", 0),
        ("-0", 0),
        ("+0", 0),
        ("0s", 0),
        ("5m", 300 * SECOND),
        ("-5s", -5 * SECOND),
        ("+5s", 5 * SECOND),
        ("1h30m", 5400 * SECOND),
        ("2m30.5s", 150_500_000_000),
        ("100000000us", 100 * SECOND),
        ("7\u00b5s", 7_000),
        ("7\u03bcs", 7_000),
        (".5s", 500_000_000),
        ("1.s", SECOND),
        ("1.5h", 5400 * SECOND),
        ("1ns1ms1ns", 1_000_002),
        ("0.3333333333333333333h", 1_200_000_000_000),
        ("0.100000000000000000000h", 360_000_000_000),
        ("0.830103483285477580700000h", 2_988_372_539_827),
        ("0.5793480431638888889h", 2_085_652_955_389),  # exactly it is ...390: doubles are rounded on the way
        ("0.9223372036854775808h", 3_320_413_933_267),
        ("0.00000000000000000000000000000000000000001h", 0),
        ("000000000000000000000000001s", SECOND),
        ("9223372036854775807ns", MOST),
        ("2562047h47m16.854775807s", MOST),
        ("-9223372036854775808ns", -MOST - 1),
        ("-9223372036854775808ns9223372036854775808ns", 0),  # Go's sum of the two is 2^64
    ],
)
def test_as_go_reads_it(text, ns):
    assert parse_duration(text) == ns


@pytest.mark.parametrize(
    "text",
    [
        "", "+", "-", "10", "abc", "s", ".s", "-.s", ".", "1d", "1h1", "1 s", " 1s", "1s ", "1S", "--1s",
        "1e3s", "\u0661s", "9223372036854775808ns", "-9223372036854775809ns", "2562047h47m16.854775808s",
        "1..5s", "99999999999999999999h",
    ],
)  # fmt: skip
def test_what_go_refuses(text):
    with pytest.raises(ValueError, match="no duration"):
        parse_duration(text)


def test_h250_a_duration_has_so_many_characters():
    fits = "1ns" * (MAX_LENGTH // 3)
    assert parse_duration(fits) == MAX_LENGTH // 3
    with pytest.raises(ValueError, match="no duration"):
        parse_duration(f"{fits}1ns")
