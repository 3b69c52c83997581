"""Counters in the store."""

import pytest

from keepers import sequences
from pyibc.core.errors import InvalidRequest
from pyibc.core.numbers import MAX_U64


@pytest.mark.parametrize("number", [-1, MAX_U64 + 1])
def test_what_does_not_fit_is_refused(ctx, number):
    with pytest.raises(InvalidRequest):
        sequences.write(ctx, b"n", number)
    assert ctx.writes("ibc") == []


def test_the_last_number_is_not_taken(ctx):
    """A counter that wrapped would give an old name to a new channel."""
    sequences.write(ctx, b"n", MAX_U64)
    with pytest.raises(InvalidRequest):
        sequences.increment(ctx, b"n")
    assert sequences.read(ctx, b"n") == MAX_U64
