"""A pytest plugin: runs tests without some functions, each time in a process of its own.

COVERAGE_PLAN names a JSON file: `pipe`, the descriptor that gets the answers, one line each; `workers`;
`green`, the tests that must pass with everything in its place; `mutants`, of each its `module`, what
`tools.coverage_edit.emptied` gave for it, and its `nodes`. Tests are read once, and every process is forked
before one has run, so that none finds what another left in a cache.
A function is empty while a test runs, but not while its fixtures are made: one that cannot be made says
nothing of what the test asks.
"""

import importlib
import json
import os
import resource
import sys
import types
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, settings

Swap = tuple[Any, str, Any]
"""Whose attribute, its name, what it is while a test runs."""

GREEN = -1
"""The number of the run with everything in its place."""
CPU_TIME_S = 1800
"""For all tests of one process: ends what no signal interrupts."""


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
    """Swaps the code of the named functions while a test runs, and gives it back."""

    def __init__(self, told: Mapping[str, Any]) -> None:
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


class Reporter:
    """Tells of each test that ran, or could not."""

    def __init__(self, pipe: int, number: int) -> None:
        self._pipe, self._number = pipe, number

    def tell(self, **facts: object) -> None:
        """One line, in one piece."""
        os.write(self._pipe, json.dumps({"run": self._number, **facts}).encode() + b"\n")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[Any]) -> Iterator[Any]:
        """After each phase."""
        report = yield
        if call.when == "call" or report.outcome == "failed":
            self.tell(test=item.nodeid, phase=call.when, outcome=report.outcome, seconds=call.duration)
        return report


class Runner:
    """Runs the plan instead of what pytest collected."""

    def __init__(self, plan: Mapping[str, Any]) -> None:
        self._plan = plan
        self._running: dict[int, Reporter] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """One process for the green run, then one for each mutant."""
        items = {item.nodeid: item for item in session.items}
        self._fork([items[node] for node in self._plan["green"]], GREEN, None)
        self._wait(0)
        for number, told in enumerate(self._plan["mutants"]):
            self._wait(self._plan["workers"] - 1)
            self._fork([items[node] for node in told["nodes"]], number, told)
        self._wait(0)
        return True

    def _wait(self, left: int) -> None:
        while len(self._running) > left:
            process, status = os.wait()
            self._running.pop(process).tell(ended=os.waitstatus_to_exitcode(status))

    def _fork(self, items: Sequence[pytest.Item], number: int, told: Mapping[str, Any] | None) -> None:
        reporter = Reporter(self._plan["pipe"], number)
        process = os.fork()
        if process:
            self._running[process] = reporter
            return
        code = 1
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (CPU_TIME_S, CPU_TIME_S))
            _run(items, reporter, told)
            code = 0
        except BaseException as error:
            reporter.tell(fault=f"{type(error).__name__}: {error}"[:300])
            raise
        finally:
            os._exit(code)


def _run(items: Sequence[pytest.Item], reporter: Reporter, told: Mapping[str, Any] | None) -> None:
    config = items[0].config
    config.pluginmanager.register(reporter)
    if told is not None:
        config.pluginmanager.register(Emptier(told))
    for item, following in zip(items, (*items[1:], None), strict=True):
        config.hook.pytest_runtest_protocol(item=item, nextitem=following)


def pytest_configure(config: pytest.Config) -> None:
    """Begins when the tests' modules are not imported yet. A failed example need not be made small."""
    settings.register_profile("emptied", phases=(Phase.explicit, Phase.generate), database=None)
    settings.load_profile("emptied")
    plan = json.loads(Path(os.environ["COVERAGE_PLAN"]).read_text(encoding="utf-8"))
    config.pluginmanager.register(Runner(plan))
