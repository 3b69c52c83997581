"""Starts pytest: once for a plan of `tools.mutants.engine`, or in a copy of the tree for one changed file."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tools.mutants.engine import GREEN

TOOLS = Path(__file__).resolve().parents[2]
"""Where the plugins are imported from, whatever tree is tested."""
TEST_TIMEOUT_S = 180
"""A test that takes longer is in a loop without end."""
COPY_TIMEOUT_S = 600
_NOT_COPIED = shutil.ignore_patterns(".*", "__pycache__", "ibcgo-transcripts", "target", "dist", "build")


class Ran(NamedTuple):
    """What tests said without some code."""

    lines: tuple[Mapping[str, Any], ...] = ()  # of `engine.report_of`
    fault: str = ""  # why nothing could be run

    @property
    def red(self) -> set[str]:
        """The node ids that failed in their call."""
        failed = [line for line in self.lines if line["outcome"] == "failed"]
        return {line["test"] for line in failed if line["phase"] == "call"}


def carry_out(root: Path, plan: Mapping[str, Any]) -> Iterator[tuple[int, Ran]]:
    """Give each mutant of a plan by its number, as they end.

    Raises:
        RuntimeError: a test is red with everything in its place, or pytest cannot run.
    """
    lines: dict[int, list[Mapping[str, Any]]] = {}
    faults: dict[int, str] = {}
    shares = min(plan["workers"], len(plan["green"]))  # of the tests that must be green
    ended = 0
    for line in _told(root, plan):
        number = line["run"]
        if "outcome" in line:
            lines.setdefault(number, []).append(line)
        faults[number] = line.get("fault", faults.get(number, ""))
        if "ended" not in line:
            continue
        ended += 1
        fault = faults[number] or (f"its process ended with {line['ended']}" if line["ended"] else "")
        if number != GREEN:
            yield number, Ran(tuple(lines.pop(number, ())), fault)
            continue
        red = sorted({each["test"] for each in lines.get(GREEN, ()) if each["outcome"] == "failed"})
        if red or fault:
            raise RuntimeError(f"red with everything in its place: {fault} {red}")
        if ended == shares:
            print(f"{len(plan['green'])} tests are green with everything in its place", flush=True)
    if ended < shares + len(plan["mutants"]):
        raise RuntimeError("pytest cannot collect the tests, or was ended")


def _told(root: Path, plan: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """What the plugin says while it carries out a plan."""
    files = sorted({test.partition("::")[0] for test in plan["green"]})
    there, here = os.pipe()
    with (
        tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".json") as told,
        os.fdopen(there) as lines,
    ):
        json.dump({"pipe": here, **plan}, told)
        told.flush()
        command = _pytest("-p", "tools.mutants.engine", "--timeout", str(TEST_TIMEOUT_S), *files)
        environment = _environment(root, MUTANTS_PLAN=told.name)
        tests = subprocess.Popen(
            command, cwd=root, env=environment, stdout=subprocess.DEVNULL, pass_fds=[here]
        )
        os.close(here)
        try:
            yield from map(json.loads, lines)
        finally:
            tests.terminate()
            tests.wait()


def copy_tree(root: Path, target: Path) -> None:
    """Copy what the tests need; the original tree is never changed."""
    shutil.copytree(root, target, ignore=_NOT_COPIED, dirs_exist_ok=True)


def run_changed(tree: Path, file: str, source: str, tests: Sequence[str]) -> Ran:
    """Run tests in a copy of the tree, one of whose files is another; it is put back."""
    path, report = tree / file, tree / "mutants.jsonl"
    original = path.read_text(encoding="utf-8")
    report.unlink(missing_ok=True)
    path.write_text(source, encoding="utf-8")
    command = _pytest("-p", "tools.mutants.report", "--timeout", str(TEST_TIMEOUT_S), *tests)
    # No bytecode: two sources of equal size written within a second would share it.
    environment = _environment(tree, MUTANTS_REPORT=str(report), PYTHONDONTWRITEBYTECODE="1")
    try:
        ran = subprocess.run(
            command,
            cwd=tree,
            env=environment,
            capture_output=True,
            text=True,
            timeout=COPY_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Ran(fault=f"not done in {COPY_TIMEOUT_S} s")
    finally:
        path.write_text(original, encoding="utf-8")
    if ran.returncode not in (0, 1) or not report.exists():
        return Ran(fault=f"pytest ended with {ran.returncode}: {ran.stdout[-500:]}{ran.stderr[-500:]}")
    return Ran(tuple(json.loads(line) for line in report.read_text(encoding="utf-8").splitlines()))


def _pytest(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", ".", *arguments]


def _environment(root: Path, **more: str) -> dict[str, str]:
    asked = [str(Path(each).resolve()) for each in os.environ.get("PYTHONPATH", "").split(os.pathsep) if each]
    path = os.pathsep.join([str(root), str(TOOLS), *asked])
    return {**os.environ, "PYTHONPATH": path, "PYTEST_ADDOPTS": "", **more}
