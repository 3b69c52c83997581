"""Errors of programs beside the chain: their codes."""

import pkgutil
from collections import Counter
from importlib import import_module

import pytest

import pyibc.indexer
import pyibc.relayer
from pyibc.indexer.errors import IndexerError
from pyibc.relayer.errors import RelayerError


def below(cls):
    return {each for child in cls.__subclasses__() for each in (child, *below(child))}


@pytest.mark.parametrize(("package", "base"), [(pyibc.indexer, IndexerError), (pyibc.relayer, RelayerError)])
def test_no_two_errors_have_one_code(package, base):
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        import_module(module.name)
    public = [cls for cls in below(base) if "code" in vars(cls) and not cls.__name__.startswith("_")]
    declared = Counter((cls.codespace, cls.code) for cls in public)
    assert len(declared) > 10
    assert [code for code, number in declared.items() if number > 1] == []
