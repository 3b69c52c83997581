"""Errors cross processes: workers of a node and of Spark hand them on."""

import pickle
from dataclasses import fields

from tools.lint_tree.errors import error_classes


def made(cls):
    return cls(*("text" if field.type is str or field.type == "str" else 7 for field in fields(cls)))


def test_an_error_crosses_processes_and_says_something():
    for cls in error_classes().values():
        error = made(cls)
        copy = pickle.loads(pickle.dumps(error))
        assert type(copy) is type(error)
        assert (str(copy), copy.args) == (str(error), error.args)
        assert "{" not in str(error), cls
