"""`make bench` finds every benchmark that it names."""

from importlib import import_module
from inspect import signature
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchmarks import run

FOLDER = Path(run.__file__).parent


@pytest.mark.parametrize("name", run.NAMES)
def test_a_benchmark_has_rows_and_shows_them(name):
    module = import_module(run.module_of(name))
    assert module.__doc__
    asked = [each for each in signature(module.rows).parameters.values() if each.default is each.empty]
    assert asked == []
    assert len(signature(module.show).parameters) == 1


ALONE = {"benchmarks.bench_blocks", "benchmarks.bench_restore"}
"""Those of 100,000 blocks and of gigabytes, which nobody wants with the others."""


def test_every_benchmark_is_named():
    found = {path.relative_to(FOLDER.parent).with_suffix("") for path in FOLDER.rglob("bench*.py")}
    assert {".".join(each.parts) for each in found} == ALONE | {*map(run.module_of, run.NAMES)}


def test_several_have_a_process_each_and_one_that_fails_fails_them_all(monkeypatch):
    asked = []

    def ran(command, *, check):
        asked.append((command[1:], check))
        return SimpleNamespace(returncode={"plan": -9}.get(command[-1], 0))

    monkeypatch.setattr(run.subprocess, "run", ran)
    assert run.main(["plan", "queues"]) == 9
    assert asked == [([run.__file__, "plan"], False), ([run.__file__, "queues"], False)]
    asked.clear()
    assert run.main([]) == 9
    assert [command[-1] for command, _ in asked] == [*run.NAMES]
    assert run.main(["nothing"]) == 2
