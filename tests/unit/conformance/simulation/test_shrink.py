"""A failing seed is made as short as it goes."""

from hypothesis import given
from hypothesis import strategies as st

from conformance.simulation.shrink import shrunk


@given(st.sets(st.integers(0, 59), max_size=5))
def test_what_fails_by_some_steps_together_is_shrunk_to_them(guilty):
    assert shrunk(range(60), lambda numbers: guilty <= set(numbers), tries=10_000) == sorted(guilty)


def test_it_ends_after_so_many_tries():
    asked = []
    assert shrunk(range(60), lambda numbers: asked.append(numbers) or False, tries=7) == list(range(60))
    assert len(asked) == 7


def test_the_order_of_steps_stays():
    kept = shrunk(range(60), lambda numbers: [each for each in numbers if each in {50, 3, 20}] == [3, 20, 50])
    assert kept == [3, 20, 50]
