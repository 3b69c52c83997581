"""Runs of pytest: one for a plan of `tools.mutants.engine`, or one in a copy of the tree."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tools.mutants.engine import GREEN, shares

TOOLS = Path(__file__).resolve().parents[2]
"""Folder from which the plugins are imported, whatever tree is tested."""
TEST_TIMEOUT_S = 180
"""Time limit of a test, seconds; a longer one is in an endless loop."""
_NOT_COPIED = shutil.ignore_patterns(".*", "__pycache__", "ibcgo-transcripts", "target", "dist", "build")


class Ran(NamedTuple):
    """Results of tests without some code."""

    lines: tuple[Mapping[str, Any], ...] = ()  # see `engine.report_of`
    fault: str = ""  # reason why the tests could not run

    @property
    def red(self) -> set[str]:
        """Node ids of tests that failed in their call."""
        failed = [line for line in self.lines if line["outcome"] == "failed"]
        return {line["test"] for line in failed if line["phase"] == "call"}


def carry_out(root: Path, plan: Mapping[str, Any]) -> Iterator[tuple[int, Ran]]:
    """Yield the result of each mutant of a plan by its number, in order of completion.

    Raises:
        RuntimeError: a test fails without any change, or pytest cannot run.
    """
    left = len(shares(plan["green"], plan["workers"]))
    for number, ran in _runs(root, plan):
        if number != GREEN:
            yield number, ran
            continue
        red = sorted({line["test"] for line in ran.lines if line["outcome"] == "failed"})
        if red or ran.fault:
            raise RuntimeError(f"red with everything in its place: {ran.fault} {', '.join(red)}")
        left -= 1
        if not left:
            print(f"{len(plan['green'])} tests are green with everything in its place", flush=True)


def run_changed(tree: Path, file: str, source: str, tests: Sequence[str]) -> Ran:
    """Run tests in a copy of the tree with one file replaced, and restore the file."""
    path = tree / file
    original = path.read_text(encoding="utf-8")
    path.write_text(source, encoding="utf-8")
    try:
        # No bytecode: two sources of equal size written within a second would share it.
        ((_, ran),) = _runs(tree, {"workers": 1, "green": tests, "mutants": []}, PYTHONDONTWRITEBYTECODE="1")
    except RuntimeError as error:
        return Ran(fault=str(error))
    finally:
        path.write_text(original, encoding="utf-8")
    return ran


def copy_tree(root: Path, target: Path) -> None:
    """Copy everything that the tests need; the original tree is never changed."""
    shutil.copytree(root, target, ignore=_NOT_COPIED, dirs_exist_ok=True)


def _runs(root: Path, plan: Mapping[str, Any], **environment: str) -> Iterator[tuple[int, Ran]]:
    """Yield the results of each process, in order of completion.

    Raises:
        RuntimeError: a process did not start.
    """
    lines: dict[int, list[dict[str, Any]]] = {}
    left = len(shares(plan["green"], plan["workers"])) + len(plan["mutants"])
    for line in _reports(root, plan, environment):
        told = lines.setdefault(line["run"], [])
        told.append(line)
        if "ended" in line:
            left -= 1
            faults = [each["fault"] for each in told if "fault" in each]
            faults += [f"its process ended with {line['ended']}"] if line["ended"] else []
            yield line["run"], Ran(tuple(each for each in told if "outcome" in each), "; ".join(faults))
    if left:
        raise RuntimeError("pytest cannot collect the tests, or was ended: see what it says of them")


def _reports(root: Path, plan: Mapping[str, Any], environment: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Yield the plugin's reports while it runs a plan."""
    files = sorted({test.partition("::")[0] for test in plan["green"]})
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "tools.mutants.engine"]
    command += ["--rootdir", ".", "--timeout", str(TEST_TIMEOUT_S), *files]
    paths = [str(root), str(TOOLS), *map(os.path.abspath, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    there, here = os.pipe()
    with (
        tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".json") as told,
        os.fdopen(there) as lines,
    ):
        json.dump({"pipe": here, **plan}, told)
        told.flush()
        more = {"PYTHONPATH": os.pathsep.join(paths), "PYTEST_ADDOPTS": "", "MUTANTS_PLAN": told.name}
        tests = subprocess.Popen(
            command,
            cwd=root,
            env={**os.environ, **more, **environment},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[here],
        )
        os.close(here)
        try:
            yield from map(json.loads, lines)
        finally:
            tests.terminate()
            tests.wait()
