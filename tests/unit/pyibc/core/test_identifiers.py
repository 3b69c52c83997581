"""Identifiers: the same verdict as ibc-go's patterns, which stand here as Python's `re` can say them."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyibc.core.errors import InvalidIdentifier
from pyibc.core.identifiers import (
    LOCALHOST_CLIENT_ID,
    is_channel_id,
    is_connection_id,
    parse_client_id,
    parse_numbered,
    validate_channel_id,
    validate_client_id,
    validate_connection_id,
    validate_port_id,
)
from pyibc.core.numbers import MAX_U64

ALLOWED = re.compile(r"[a-zA-Z0-9._+\-#\[\]<>]+", re.ASCII)
CLIENT = re.compile(r"(\w+(?:[\w-]+\w)?)-([0-9]{1,20})", re.ASCII)
CHANNEL = re.compile(r"channel-([0-9]{1,20})", re.ASCII)

KINDS = {
    "client": (validate_client_id, 4, 64),
    "connection": (validate_connection_id, 10, 64),
    "channel": (validate_channel_id, 8, 64),
    "port": (validate_port_id, 2, 128),
}
TEXTS = (
    st.text(max_size=140)
    | st.text("abcXYZ019._+-#[]<>", max_size=140)
    | st.text("ab-_09/ \n", max_size=20)
    | st.from_regex(CLIENT, fullmatch=True)
)


def passes(check, text):
    try:
        check(text)
    except InvalidIdentifier:
        return False
    return True


@settings(deadline=None)
@given(text=TEXTS, kind=st.sampled_from(sorted(KINDS)))
def test_any_text(text, kind):
    check, low, high = KINDS[kind]
    size = len(text.encode("utf-8", "surrogatepass"))
    assert passes(check, text) == (low <= size <= high and ALLOWED.fullmatch(text) is not None)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_lengths(kind):
    check, low, high = KINDS[kind]
    assert [passes(check, "a" * n) for n in (low - 1, low, high, high + 1)] == [False, True, True, False]
    with pytest.raises(InvalidIdentifier) as refused:
        check("a" * (high + 1))
    assert (refused.value.kind, refused.value.value) == (kind, "a" * 64)


@settings(deadline=None)
@given(text=TEXTS | st.builds("{}-{}".format, st.text("ab-_", max_size=6), st.integers(0, 2**70)))
def test_client_ids_are_split_as_ibc_go_does(text):
    found = CLIENT.fullmatch(text)
    if text != LOCALHOST_CLIENT_ID and (found is None or int(found[2]) > MAX_U64):
        with pytest.raises(InvalidIdentifier):
            parse_client_id(text)
    elif found is not None:
        assert parse_client_id(text) == (found[1], int(found[2]))


def test_d37_a_huge_client_id_takes_no_time():
    """Go's matcher is linear; a backtracking one would not come back."""
    with pytest.raises(InvalidIdentifier):
        parse_client_id("a-" * 500_000)
    assert not is_channel_id("channel-" + "1" * 5_000_000)


@settings(deadline=None)
@given(text=TEXTS | st.builds("channel-{}".format, st.integers(0, 2**70) | st.text(max_size=4)))
def test_channel_ids(text):
    found = CHANNEL.fullmatch(text)
    assert is_channel_id(text) == (found is not None and int(found[1]) <= MAX_U64)


def test_numbered():
    assert parse_numbered("channel-7", "channel-") == 7
    assert parse_numbered("channel-007", "channel-") == 7
    assert parse_numbered("channel-" + "0" * 20 + "1", "channel-") is None
    assert is_connection_id("connection-0")
    for text in (
        "channel-",
        "channel-x",
        "channel--1",
        "channel-+1",
        "channel-1 ",
        "connection-1",
        "channel-1\n",
    ):
        assert parse_numbered(text, "channel-") is None
        assert not is_channel_id(text)
    assert not is_connection_id("connection-localhost")
