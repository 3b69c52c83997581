"""Decisions out of numbers: the same for the same seed, and all of them possible."""

import pytest

from conformance.walks.choices import Choices, stream


def test_the_stream_is_the_same_on_every_machine():
    assert [Choices(stream("walk/0")).below(limit) for limit in (100, 1000)] == [21, 521]


def test_every_option_comes_and_none_other():
    choices = Choices(stream("x"))
    assert {choices.pick("abc") for _ in range(100)} == set("abc")
    assert {choices.between(3, 5) for _ in range(100)} == {3, 4, 5}
    assert {choices.weighted(((1, "a"), (0, "b"), (5, "c"))) for _ in range(100)} == {"a", "c"}
    assert not any(choices.chance(0) for _ in range(100))
    assert all(choices.chance(100) for _ in range(100))
    assert len(choices.raw(7)) == 7


def test_no_options_are_a_mistake_of_the_caller():
    with pytest.raises(ZeroDivisionError):
        Choices(stream("x")).pick([])
    with pytest.raises(ValueError, match="no options"):
        Choices(lambda _: 0).weighted([])
