"""Counters in the store."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibc_core.errors import InvalidRequest
from ibc_core.host.overlay import BlockContext
from ibc_core.numbers import MAX_U64
from keepers import sequences


def test_a_counter_starts_at_none_and_is_taken_one_by_one(ctx):
    assert sequences.read(ctx, b"n") is None
    assert [sequences.take(ctx, b"n") for _ in range(3)] == [0, 1, 2]
    assert ctx.writes("ibc") == [(b"n", bytes(7) + b"\x03")]


@given(number=st.integers(0, MAX_U64))
def test_what_is_written_is_read(empty_store, number):
    ctx = BlockContext("c-1", 1, 0, {"ibc": empty_store})
    sequences.write(ctx, b"n", number)
    assert sequences.read(ctx, b"n") == number


@pytest.mark.parametrize("number", [-1, MAX_U64 + 1])
def test_what_does_not_fit_is_refused(ctx, number):
    with pytest.raises(InvalidRequest):
        sequences.write(ctx, b"n", number)
    assert ctx.writes("ibc") == []


def test_the_last_number_is_not_taken(ctx):
    """A counter that wrapped would give an old name to a new channel."""
    sequences.write(ctx, b"n", MAX_U64)
    with pytest.raises(InvalidRequest):
        sequences.take(ctx, b"n")
    assert sequences.read(ctx, b"n") == MAX_U64
