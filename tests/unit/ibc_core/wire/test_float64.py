"""Python's own float, which rounds as Go's strconv does, is the judge."""

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ibc_core.wire.float64 import is_beyond, overflows
from ibc_core.wire.gojson import parse

LIMIT = 2**1024 - 2**970

numbers = st.builds(
    lambda sign, whole, fraction, exponent: f"{sign}{whole}{fraction}{exponent}",
    st.sampled_from(["", "-"]),
    st.one_of(st.just(0), st.integers(1, 10**6), st.integers(LIMIT - 10**292, LIMIT + 10**292)),
    st.one_of(st.just(""), st.from_regex(r"\.[0-9]{1,40}", fullmatch=True)),
    st.one_of(
        st.just(""),
        st.builds(lambda e, n: f"{e}{n}", st.sampled_from(["e", "E+", "e-"]), st.integers(0, 700)),
    ),
)


@given(numbers)
@example(str(LIMIT))
@example(str(LIMIT - 1))
@example(f"{LIMIT - 1}.9")
@example("1.7976931348623158e308")
@example("1.7976931348623159e308")
@example("0e99999")
@example("0.00000000000000000001e325")
@example("1e-400")
def test_beyond_is_what_rounds_to_infinity(text):
    assert is_beyond(text) == math.isinf(float(text))


@pytest.mark.parametrize(
    ("text", "beyond"),
    [
        ("1e" + "9" * 5000, True),
        ("1e-" + "9" * 5000, False),
        ("0e" + "9" * 5000, False),
        ("1e" + "0" * 5000 + "1", False),
        ("9" * 5000, True),
        ("0." + "9" * 5000, False),
    ],
)
def test_numbers_of_thousands_of_digits_have_an_answer(text, beyond):
    assert is_beyond(text) is beyond


@pytest.mark.parametrize("text", ["", "1e", "+1", "inf", "0x1"])
def test_what_is_no_number_is_refused(text):
    with pytest.raises(ValueError, match="no JSON number"):
        is_beyond(text)


@pytest.mark.parametrize(
    ("text", "beyond"),
    [
        ('{"a": 1e400}', True),
        ('{"a": {"b": [1, [{"c": -1e400}]]}}', True),
        ('{"a": 1e400, "a": 1}', True),
        ('{"a": "1e400"}', False),
        ('{"a": 1e308}', False),
        ("[1, 2.5, true, null]", False),
    ],
)
def test_a_text_overflows_where_any_of_its_numbers_does(text, beyond):
    assert overflows(text, parse(text.encode())) is beyond
