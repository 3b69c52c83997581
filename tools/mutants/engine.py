"""A pytest plugin: runs tests without some code, each time in a process of its own.

MUTANTS_PLAN names a JSON file: `pipe`, the descriptor that gets the answers, one line each; `workers`;
`green`, the tests that must pass with everything in its place; `mutants`, of each its `module`, its
`source` without the code, the `functions` whose code differs, the `fields` and `values` that are empty, and
its `tests`. A test is `file::name`, for all of its cases, or `file::name[case]`.

Tests are collected once, and every process is forked before one has run, so that none finds what another
left in a cache. The code is changed while a test runs, but not while its fixtures are made: a fixture that
cannot be made says nothing of what the test asserts.
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

from ibc_core.errors import IbcError

Swap = tuple[Any, str, Any]
"""Whose attribute, its name, what it is while a test runs."""
Functions = dict[tuple[str, str], list[types.FunctionType]]
"""Every function of this process, by the file of its code and its qualified name there."""

GREEN = -1
"""The number of the run with everything in its place."""
CPU_TIME_S = 1800
"""For all tests of one process: ends what no signal interrupts."""
_write = os.write  # a test that fills the disk has another one
_NAMED = (AssertionError, IbcError, pytest.fail.Exception)


def is_case(test: str, node: str) -> bool:
    """Say whether a node id is a test, or its named case: of a fixture's and its own, either will do."""
    name, _, case = test.partition("[")
    node_name, _, node_case = node.partition("[")
    case, node_case = case.removesuffix("]"), node_case.removesuffix("]")
    return name == node_name and (not case or case == node_case or case in node_case.split("-"))


def shares(tests: Sequence[str], workers: int) -> list[Sequence[str]]:
    """Return the tests in as many parts as there are workers, or in fewer."""
    size = max(1, -(-len(tests) // workers))
    return [tests[begin : begin + size] for begin in range(0, len(tests), size)]


def report_of(item: pytest.Item, call: pytest.CallInfo[Any], outcome: str) -> dict[str, object]:
    """Return what is told of a phase; `named`: an assertion, `DID NOT RAISE`, or an error of our tree."""
    raised = call.excinfo
    failed = raised and isinstance(raised.value, pytest.fail.Exception)
    is_late = failed and str(raised.value).startswith("Timeout")
    named = bool(raised and issubclass(raised.type, _NAMED) and not is_late)
    name = raised.type.__name__ if raised else ""
    return {"test": item.nodeid, "phase": call.when, "outcome": outcome, "raised": name, "named": named}


def codes_of(source: str, path: str) -> dict[str, list[types.CodeType]]:
    """Return the code objects of a module by qualified name, in their order there."""
    found: dict[str, list[types.CodeType]] = {}
    waiting = [compile(source, path, "exec", dont_inherit=True)]
    while waiting:
        inner = [each for each in waiting.pop().co_consts if isinstance(each, types.CodeType)]
        for each in inner:
            found.setdefault(each.co_qualname, []).append(each)
        waiting += inner
    return {name: sorted(codes, key=lambda code: code.co_firstlineno) for name, codes in found.items()}


def swaps(functions: Sequence[types.FunctionType], codes: Sequence[types.CodeType]) -> list[Swap]:
    """Return the functions of one name with their new code: a property's getter and setter have one name.

    Raises:
        LookupError: it cannot be told which code is whose.
    """
    lines = sorted({each.__code__.co_firstlineno for each in functions})
    if len(lines) != len(codes):
        raise LookupError(f"{len(lines)} functions with the code of {len(codes)}")
    return [(each, "__code__", codes[lines.index(each.__code__.co_firstlineno)]) for each in functions]


def functions_of_process() -> Functions:
    """Return all functions there are, those behind properties and decorators too."""
    found: Functions = {}
    for each in gc.get_objects():
        if isinstance(each, types.FunctionType):
            found.setdefault((each.__code__.co_filename, each.__code__.co_qualname), []).append(each)
    return found


def holders(value: Any) -> list[Swap]:
    """Return every module's name for a value, and an empty value of its type."""
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


class Changer:
    """Changes the named functions, fields and values while a test runs, and gives them back."""

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
        """One line, in one piece: so much less than a page goes into a pipe whole."""
        _write(self._pipe, json.dumps({"run": self._number, **facts}).encode() + b"\n")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[Any]) -> Iterator[Any]:
        """After each phase."""
        report = yield
        if call.when == "call" or report.outcome == "failed":
            self.tell(**report_of(item, call, report.outcome))
        return report


class Runner:
    """Runs the plan instead of what pytest collected."""

    def __init__(self, plan: Mapping[str, Any]) -> None:
        self._plan = plan
        self._running: dict[int, Reporter] = {}
        self._functions: Functions = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """A process for each share of the green tests, then one for each mutant."""
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
    """The cases of the tests, each once."""
    found = {
        item.nodeid: item
        for test in tests
        for item in nodes.get(test.partition("[")[0], ())
        if is_case(test, item.nodeid)
    }
    return list(found.values())


def pytest_configure(config: pytest.Config) -> None:
    """Begins when the tests' modules are not imported yet. A failed example need not be made small."""
    settings.register_profile("mutants", phases=(Phase.explicit, Phase.generate), database=None)
    settings.load_profile("mutants")
    plan = json.loads(Path(os.environ["MUTANTS_PLAN"]).read_text(encoding="utf-8"))
    config.pluginmanager.register(Runner(plan))
