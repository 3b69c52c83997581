"""Heights, and the revision in a chain id."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyibc.core.errors import InvalidHeight
from pyibc.core.height import ZERO_HEIGHT, Height, has_readable_revision, parse_height, revision_of
from pyibc.core.numbers import MAX_U64

U64 = st.integers(0, MAX_U64)
REVISION = re.compile(r".*[^\n-]-([1-9][0-9]*)", re.ASCII)  # fullmatch: as Go's ^ and $, `.` is no newline


@given(number=U64, height=U64)
def test_print_and_parse(number, height):
    assert parse_height(str(Height(number, height))) == (number, height)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-",
        "1",
        "1-",
        "-1",
        "1-2-3",
        "+1-2",
        "1- 2",
        "1-2\n",
        "a-1",
        "1-18446744073709551616",
        "\uff11-2",
        "1_0-2",
    ],
)
def test_what_is_no_height(text):
    with pytest.raises(InvalidHeight):
        parse_height(text)


def test_order_is_revision_first():
    assert Height(1, 99) < Height(2, 1) < Height(2, 2)


def test_zero():
    assert ZERO_HEIGHT.is_zero
    assert not Height(0, 1).is_zero
    assert not Height(1, 0).is_zero


@pytest.mark.parametrize(
    ("chain_id", "revision"),
    [
        ("cosmoshub-4", 4),
        ("a-b-10", 10),
        ("cosmoshub", 0),
        ("cosmoshub-0", 0),
        ("cosmoshub-04", 0),
        ("cosmoshub--4", 0),
        ("-4", 0),
        ("", 0),
        ("4", 0),
        ("hub-4\n", 0),
        ("hub\n-4", 0),
        ("h\nub-4", 0),
        ("hub-4a", 0),
        ("hub-٤", 0),
        (f"hub-{MAX_U64}", MAX_U64),
        (f"hub-{MAX_U64 + 1}", 0),
        ("hub-" + "9" * 5000, 0),
    ],
)
def test_d38_revisions(chain_id, revision):
    assert revision_of(chain_id) == revision


@given(
    st.text("ab-\n019", max_size=12)
    | st.text(max_size=12)
    | st.builds("{}-{}".format, st.text(max_size=5), U64)
)
def test_revisions_are_ibc_gos(chain_id):
    found = REVISION.fullmatch(chain_id)
    assert revision_of(chain_id) == (int(found[1]) if found else 0)


def test_a_revision_beyond_64_bits_is_none_that_a_client_may_have():
    """ibc-go panics over it."""
    for chain_id in ("hub", "hub-4", f"hub-{MAX_U64}", f"hub-0{MAX_U64 + 1}", f"hub-{MAX_U64 + 1}a", ""):
        assert has_readable_revision(chain_id)
    for chain_id in (f"hub-{MAX_U64 + 1}", "hub-" + "9" * 40):
        assert not has_readable_revision(chain_id)
