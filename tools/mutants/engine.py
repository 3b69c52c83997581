"""Pytest plugin that runs tests without some code, each time in a separate process.

MUTANTS_PLAN names a JSON file: `pipe`, the descriptor for the results, one per line; `workers`; `green`, the
tests that must pass without any change; `mutants`, each with its `module`, its changed `source`, the
`functions` with different code, the `fields` and `values` that are empty, and its `tests`. A test is
`file::name`, for all of its cases, or `file::name[case]`.

Tests are collected once, and all processes are forked before the first test runs, so that none inherits
another's caches. The code is changed during a test's call, but not during its fixtures: a failing fixture
says nothing about the test's assertions.
"""

import gc
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

from iavl import IavlError
from pyibc.core.errors import IbcError

Swap = tuple[Any, str, Any]
"""Owner of an attribute, its name, and its value during a test."""
Functions = dict[tuple[str, str], list[types.FunctionType]]
"""All functions of this process, by source file and qualified name."""

GREEN = -1
"""Number of the run without any change."""
CPU_TIME_S = 1800
"""CPU time limit for all tests of one process, seconds; ends even uninterruptible loops."""
_write = os.write  # a test that simulates a full disk replaces os.write
_NAMED = (AssertionError, IbcError, IavlError, pytest.fail.Exception)


def is_case(test: str, node: str) -> bool:
    """Return whether a node id is the test, or its named case, by parameters of the test or of a fixture."""
    name, _, case = test.partition("[")
    node_name, _, node_case = node.partition("[")
    case, node_case = case.removesuffix("]"), node_case.removesuffix("]")
    return name == node_name and (not case or case == node_case or case in node_case.split("-"))


def shares(tests: Sequence[str], workers: int) -> list[Sequence[str]]:
    """Return the tests in as many parts as there are workers, or in fewer."""
    size = max(1, -(-len(tests) // workers))
    return [tests[begin : begin + size] for begin in range(0, len(tests), size)]


def report_of(item: pytest.Item, call: pytest.CallInfo[Any], outcome: str) -> dict[str, object]:
    """Return the report of a phase.

    `named`: failed by an assertion, `DID NOT RAISE`, or an error of this project.
    """
    raised = call.excinfo
    failed = raised and isinstance(raised.value, pytest.fail.Exception)
    is_late = failed and str(raised.value).startswith("Timeout")
    named = bool(raised and issubclass(raised.type, _NAMED) and not is_late)
    name = raised.type.__name__ if raised else ""
    return {"test": item.nodeid, "phase": call.when, "outcome": outcome, "raised": name, "named": named}


def codes_of(source: str, path: str) -> dict[str, list[types.CodeType]]:
    """Return the code objects of a module by qualified name, in source order."""
    found: dict[str, list[types.CodeType]] = {}
    waiting = [compile(source, path, "exec", dont_inherit=True)]
    while waiting:
        inner = [each for each in waiting.pop().co_consts if isinstance(each, types.CodeType)]
        for each in inner:
            found.setdefault(each.co_qualname, []).append(each)
        waiting += inner
    return {name: sorted(codes, key=lambda code: code.co_firstlineno) for name, codes in found.items()}


def swaps(functions: Sequence[types.FunctionType], codes: Sequence[types.CodeType]) -> list[Swap]:
    """Return the functions of one name with their new code; a property's getter and setter share a name.

    Raises:
        LookupError: functions and code objects cannot be matched.
    """
    lines = sorted({each.__code__.co_firstlineno for each in functions})
    if len(lines) != len(codes):
        raise LookupError(f"{len(lines)} functions with the code of {len(codes)}")
    return [(each, "__code__", codes[lines.index(each.__code__.co_firstlineno)]) for each in functions]


def functions_of_process() -> Functions:
    """Return all functions of the process, including those behind properties and decorators."""
    found: Functions = {}
    gc.unfreeze()  # what pytest imported, too
    for each in gc.get_objects():
        if isinstance(each, types.FunctionType):
            found.setdefault((each.__code__.co_filename, each.__code__.co_qualname), []).append(each)
    return found


def holders(value: Any) -> list[Swap]:
    """Return every module attribute with this value, and an empty value of its type."""
    try:
        empty = type(value)()
    except TypeError:
        empty = None
    modules = [each for each in list(sys.modules.values()) if isinstance(each, types.ModuleType)]
    return [
        (each, name, empty) for each in modules for name, held in list(vars(each).items()) if held is value
    ]


def _held(owner: Any, name: str) -> Any:
    """Return a class's own attribute, descriptors unresolved; for other objects the attribute's value."""
    return vars(owner)[name] if isinstance(owner, type) else getattr(owner, name)


class Changer:
    """Replaces the named functions, fields and values during a test's call."""

    def __init__(self, told: Mapping[str, Any], known: Functions) -> None:
        module = importlib.import_module(told["module"])
        path = str(module.__file__)
        codes = codes_of(told["source"], path)
        self._swapped: list[Swap] = [
            swap for name in told["functions"] for swap in swaps(known[path, name], codes[name])
        ]
        for name in told.get("fields", ()):
            owner, _, field = name.rpartition(".")
            self._swapped.append((getattr(module, owner), field, property(lambda _: None)))
        self._values = [getattr(module, name) for name in told.get("values", ())]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self) -> Iterator[None]:
        """Run the test's call with the replacements."""
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
    """Reports each test that ran, or could not run."""

    def __init__(self, pipe: int, number: int) -> None:
        self._pipe, self._number = pipe, number

    def tell(self, **facts: object) -> None:
        """Write one line at once: less than a page, so that writes to the pipe are atomic."""
        _write(self._pipe, json.dumps({"run": self._number, **facts}).encode() + b"\n")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[Any]) -> Iterator[Any]:
        """Report each phase."""
        report = yield
        if call.when == "call" or report.outcome == "failed":
            self.tell(**report_of(item, call, report.outcome))
        return report


class Runner:
    """Runs the plan instead of the collected tests."""

    def __init__(self, plan: Mapping[str, Any]) -> None:
        self._plan = plan
        self._running: dict[int, Reporter] = {}
        self._functions: Functions = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run a process for each share of the unchanged tests, then one per mutant."""
        nodes: dict[str, list[pytest.Item]] = {}
        for item in session.items:
            nodes.setdefault(item.nodeid.partition("[")[0], []).append(item)
        for told in self._plan["mutants"]:
            importlib.import_module(told["module"])
        self._functions = functions_of_process()
        gc.freeze()
        workers = self._plan["workers"]
        for share in shares(self._plan["green"], workers):
            self._fork(_items(share, nodes), GREEN, None)
        self._wait(0)
        for number, told in enumerate(self._plan["mutants"]):
            self._wait(workers - 1)
            self._fork(_items(told["tests"], nodes), number, told)
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
            self._run(items, reporter, told)
            code = 0
        except BaseException as error:
            reporter.tell(fault=f"{type(error).__name__}: {error}"[:300])
            raise
        finally:
            os._exit(code)

    def _run(self, items: Sequence[pytest.Item], reporter: Reporter, told: Mapping[str, Any] | None) -> None:
        plugins = items[0].config.pluginmanager if items else None
        if plugins is None:
            raise LookupError("none of its tests is collected")
        plugins.register(reporter)
        if told is not None:
            plugins.register(Changer(told, self._functions))
        for item, following in zip(items, (*items[1:], None), strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)


def _items(tests: Sequence[str], nodes: Mapping[str, Sequence[pytest.Item]]) -> list[pytest.Item]:
    """Return the collected items of the tests, without duplicates."""
    found = {
        item.nodeid: item
        for test in tests
        for item in nodes.get(test.partition("[")[0], ())
        if is_case(test, item.nodeid)
    }
    return list(found.values())


def pytest_configure(config: pytest.Config) -> None:
    """Register the plugin before test modules are imported, and disable shrinking of failing examples."""
    settings.register_profile("mutants", phases=(Phase.explicit, Phase.generate), database=None)
    settings.load_profile("mutants")
    plan = json.loads(Path(os.environ["MUTANTS_PLAN"]).read_text(encoding="utf-8"))
    config.pluginmanager.register(Runner(plan))
