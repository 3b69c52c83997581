"""The collector while a process serves: seldom, without what was there; and as before afterwards."""

import gc

from pyibc.core.garbage_collection import YOUNG, tuned_gc


def test_it_is_settled_inside_and_as_before_afterwards():
    before, frozen = gc.get_threshold(), gc.get_freeze_count()
    with tuned_gc():
        assert gc.get_threshold() == (YOUNG, *before[1:])
        assert gc.get_freeze_count() > frozen
        assert gc.isenabled()
    assert (gc.get_threshold(), gc.get_freeze_count()) == (before, 0)
