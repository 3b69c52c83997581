"""A pytest plugin: empties functions while a test runs, but not while its fixtures are made.

COVERAGE_MUTANT names a JSON file: `module`, what `tools.coverage_edit.emptied` gave for it, and `report`, the
file for one line a test.
A fixture that cannot be made says nothing of what the test asks, so it is made by the code as it is.
"""

import importlib
import json
import os
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, settings

from tools.mutants_report import NAMED

Swap = tuple[Any, str, Any]
"""Whose attribute, its name, what it is while a test runs."""


def codes_of(source: str, path: str) -> dict[str, types.CodeType]:
    """The code objects of a module by qualified name."""
    found: dict[str, types.CodeType] = {}
    waiting = [compile(source, path, "exec", dont_inherit=True)]
    while waiting:
        inner = [each for each in waiting.pop().co_consts if isinstance(each, types.CodeType)]
        found.update((each.co_qualname, each) for each in inner)
        waiting += inner
    return found


def function_of(module: types.ModuleType, name: str) -> types.FunctionType:
    """The function behind properties, class methods and decorators that say what they wrap."""
    *parents, last = name.split(".")
    owner: Any = module
    for part in parents:
        owner = getattr(owner, part)
    found: Any = vars(owner)[last]
    while not isinstance(found, types.FunctionType) or hasattr(found, "__wrapped__"):
        found = getattr(found, "fget", None) or getattr(found, "func", None) or found.__wrapped__
    return found


def holders(value: Any) -> list[Swap]:
    """Every module's name for a value, and an empty value of its type."""
    try:
        empty = type(value)()
    except TypeError:
        empty = None
    modules = [each for each in list(sys.modules.values()) if isinstance(each, types.ModuleType)]
    return [
        (each, name, empty) for each in modules for name, held in list(vars(each).items()) if held is value
    ]


def _held(owner: Any, name: str) -> Any:
    """A class's own attribute as it stands there, a descriptor too; of all else the value."""
    return vars(owner)[name] if isinstance(owner, type) else getattr(owner, name)


class Emptier:
    """Swaps the code of the named functions, and gives it back."""

    def __init__(self, path: Path) -> None:
        told = json.loads(path.read_text(encoding="utf-8"))
        self._report = Path(told["report"])
        module = importlib.import_module(told["module"])
        codes = codes_of(told["source"], str(module.__file__))
        functions = [function_of(module, name) for name in told["functions"]]
        self._swapped: list[Swap] = [
            (each, "__code__", codes[each.__code__.co_qualname]) for each in functions
        ]
        for name in told["fields"]:
            owner, _, field = name.rpartition(".")
            self._swapped.append((getattr(module, owner), field, property(lambda _: None)))
        self._values = [getattr(module, name) for name in told["values"]]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self) -> Iterator[None]:
        """The test itself, without them."""
        places = [*self._swapped, *(place for value in self._values for place in holders(value))]
        whole = [(owner, name, _held(owner, name)) for owner, name, _ in places]
        for owner, name, without in places:
            setattr(owner, name, without)
        try:
            return (yield)
        finally:
            for owner, name, value in whole:
                setattr(owner, name, value)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[Any]) -> Iterator[Any]:
        """One line for each test that ran or could not."""
        report = yield
        if call.when == "call" or report.outcome == "failed":
            raised = call.excinfo
            line = {
                "test": item.nodeid,
                "phase": call.when,
                "outcome": report.outcome,
                "named": bool(raised and issubclass(raised.type, NAMED)),
            }
            with self._report.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
        return report


def pytest_configure(config: pytest.Config) -> None:
    """Begins when the tests' modules are not imported yet. A failed example need not be made small."""
    settings.register_profile("emptied", phases=(Phase.explicit, Phase.generate), database=None)
    settings.load_profile("emptied")
    config.pluginmanager.register(Emptier(Path(os.environ["COVERAGE_MUTANT"])))
