"""A capability is its identity."""

import copy
import pickle

import pytest

from pyibc.direct.capability import Capability, mint, shown
from pyibc.direct.errors import InvalidCapability


def test_it_cannot_be_made_changed_or_copied():
    one = mint("ports/mock")
    tries = (
        Capability,
        lambda: setattr(one, "_name", "ports/transfer"),
        lambda: setattr(one, "other", 1),
        lambda: delattr(one, "_name"),
        lambda: copy.copy(one),
        lambda: copy.deepcopy({"kept": one}),
        lambda: pickle.dumps(one),
    )
    for attempt in tries:
        with pytest.raises(InvalidCapability):
            attempt()
    assert repr(one) == "<capability ports/mock>"
    with pytest.raises(TypeError, match="no subclasses"):
        type("Own", (Capability,), {})


def test_what_is_none_is_shown_as_what_it_is():
    assert shown(object.__new__(Capability)) == "Capability"
    assert shown(None) == "NoneType"
    nameless = object.__new__(Capability)
    object.__setattr__(nameless, "_name", 7)
    assert shown(nameless) == "Capability"
