"""The collector while a process serves: seldom, without what was there; and as before afterwards."""

import gc

import pytest

from pyibc.core.garbage_collection import YOUNG, tuned_gc


@pytest.fixture
def nothing_frozen():
    """As in a program of its own: pytest's process has frozen what it collected."""
    gc.unfreeze()
    yield
    gc.freeze()


def test_it_is_settled_inside_and_as_before_afterwards(nothing_frozen):
    before = gc.get_threshold()
    with tuned_gc():
        assert gc.get_threshold() == (YOUNG, *before[1:])
        assert gc.get_freeze_count() > 0
        assert gc.isenabled()
    assert (gc.get_threshold(), gc.get_freeze_count()) == (before, 0)


def test_what_the_caller_froze_stays_frozen(nothing_frozen):
    gc.freeze()
    frozen = gc.get_freeze_count()
    with tuned_gc():
        pass
    assert gc.get_freeze_count() >= frozen
