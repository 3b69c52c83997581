"""All objects of the process, whether or not garbage is looked for among them."""

import gc

from conformance.kit.heap import every_object
from pyibc.core.crypto.signatures import VERIFIED


def test_frozen_objects_are_among_them_and_stay_frozen():
    gc.freeze()
    frozen = gc.get_freeze_count()
    assert not any(each is VERIFIED for each in gc.get_objects())
    assert any(each is VERIFIED for each in every_object())
    assert gc.get_freeze_count() >= frozen
