"""The error tree: every class crosses processes, has a code of its own, and prints."""

import dataclasses
import inspect
import pickle
import re

from pyibc.core import errors
from pyibc.core.errors import IbcError
from pyibc.direct import errors as direct
from pyibc.queues import errors as queue

OPTIONS = (direct, queue)
"""Modules that a host without direct calls or queues never loads: their errors are imported from there."""
CLASSES = sorted(
    {
        each
        for module in (errors, *OPTIONS)
        for each in vars(module).values()
        if inspect.isclass(each) and issubclass(each, IbcError) and each is not direct.DirectError
    },
    key=lambda each: each.__name__,
)
GROUPS = [each for each in CLASSES if IbcError in each.__bases__]
LEAVES = [each for each in CLASSES if each is not IbcError and each not in GROUPS]
SAMPLES = {str: "some 'text' {with} braces", int: 7}


def sample(cls):
    """An instance with a value in each field."""
    return cls(*(SAMPLES[field.type] for field in dataclasses.fields(cls)))


def test_the_tree_has_three_levels():
    assert len(LEAVES) > 90
    for cls in LEAVES:
        assert {cls.__bases__[0]} <= {*GROUPS, direct.DirectError}, cls
        assert cls.codespace in {cls.__bases__[0].codespace, "undefined"}


def test_codes_are_unique():
    codes = [(cls.codespace, cls.code) for cls in LEAVES if cls.codespace != "undefined"]
    assert len(set(codes)) == len(codes)
    assert len({group.codespace for group in GROUPS}) == len(GROUPS)


def test_each_error_declares_a_code_and_a_text_with_all_its_fields():
    for cls in LEAVES:
        assert dataclasses.is_dataclass(cls), cls
        assert {"code", "text"} <= vars(cls).keys(), cls
        assert isinstance(cls.code, int), cls
        assert cls.code > 0, cls
        assert inspect.getdoc(cls), cls
        names = {field.name for field in dataclasses.fields(cls)}
        assert set(re.findall(r"\{(\w+)", cls.text)) == names
        error = sample(cls)
        for name in names:
            assert str(getattr(error, name)) in str(error) or repr(getattr(error, name)) in str(error), cls


def test_each_error_crosses_processes():
    for cls in LEAVES:
        error = sample(cls)
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is cls
        assert (dataclasses.astuple(again), str(again)) == (dataclasses.astuple(error), str(error)), cls


def test_errors_are_compared_by_identity_as_exceptions_are():
    for cls in LEAVES:
        error = sample(cls)
        assert error == error  # noqa: PLR0124
        assert error != sample(cls), cls
        assert hash(error), cls
