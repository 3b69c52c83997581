"""Mutation testing: removes guards one at a time from a copy of the tree; the listed tests must fail.

    python -m tools.mutants            # all mutants
    python -m tools.mutants h5 h7      # those with these name prefixes

A guard without a failing test can be lost unnoticed: GHSA-j496-crgh-34mx reappeared in Terra's ibc-hooks
because a merge reverted the fix and all tests still passed. Exit code 1 if a mutant survives.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from ibc_core.installation import PACKAGES
from tools.guards import MUTANTS
from tools.guards.mutant import Mutant

ROOT = Path(__file__).resolve().parents[1]
COPIED = (*PACKAGES, "conformance", "examples", "tests", "tools", "docs", "pyproject.toml")
TIMEOUT_S = 300


class StaleMutant(ValueError):
    """The table does not match the sources: update it, or check whether a guard has been lost."""


class Verdict(NamedTuple):
    """The result of a mutant's tests."""

    killed: bool
    reason: str


def mutated(text: str, mutant: Mutant) -> str:
    """The source without the guard.

    Raises:
        StaleMutant: a text to replace does not occur exactly once.
    """
    for old, new in mutant.edits:
        found = text.count(old)
        if found != 1:
            raise StaleMutant(f"{mutant.name}: {mutant.file} has {found} times {old.strip()[:80]!r}")
        text = text.replace(old, new)
    return text


def copy_tree(target: Path) -> None:
    """Copies everything the tests need; the original tree is never changed."""
    ignored = shutil.ignore_patterns("__pycache__", "*.pyc", ".hypothesis", "ibcgo-transcripts")
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, target / name, ignore=ignored)
        else:
            shutil.copy(source, target / name)


def run_tests(tree: Path, tests: Sequence[str]) -> list[dict[str, object]]:
    """Runs tests in a subprocess that imports `tree`; returns the report of `mutants_report`.

    Raises:
        RuntimeError: pytest failed to run, for example because a test does not exist.
    """
    report = tree / "report.jsonl"
    report.unlink(missing_ok=True)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    command += ["-p", "tools.mutants_report", "-m", "slow or not slow", *tests]
    # No bytecode: two sources of equal size written within a second would share it.
    environment = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    environment["MUTANTS_REPORT"] = str(report)
    ran = subprocess.run(
        command, cwd=tree, env=environment, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )
    if ran.returncode not in (0, 1) or not report.exists():
        raise RuntimeError(f"pytest ended with {ran.returncode}:\n{ran.stdout[-2000:]}{ran.stderr[-2000:]}")
    return [json.loads(line) for line in report.read_text(encoding="utf-8").splitlines()]


def judge(lines: Iterable[dict[str, object]], tests: Sequence[str]) -> Verdict:
    """Every listed test must fail in its call phase, by an assertion or an error of our tree."""
    failed = [line for line in lines if line["outcome"] == "failed"]
    for line in failed:
        if line["phase"] != "call" or not line["named"]:
            return Verdict(False, f"{line['test']} broke by {line['raised']} in {line['phase']}")
    red = {line["test"] for line in failed}
    green = [test for test in tests if test not in red]
    if green:
        return Verdict(False, f"survived: {', '.join(green)}")
    return Verdict(True, f"{len(failed)} red")


def try_mutant(tree: Path, mutant: Mutant) -> Verdict:
    """Removes the guard from the copy, runs its tests, and restores it."""
    file = tree / mutant.file
    original = file.read_text(encoding="utf-8")
    file.write_text(mutated(original, mutant), encoding="utf-8")
    try:
        return judge(run_tests(tree, mutant.tests), mutant.tests)
    except (RuntimeError, subprocess.TimeoutExpired) as error:
        return Verdict(False, str(error))
    finally:
        file.write_text(original, encoding="utf-8")


def check_green(tree: Path, mutants: Sequence[Mutant]) -> None:
    """Checks that all tests pass without any mutant.

    Raises:
        RuntimeError: a test fails.
    """
    tests = sorted({test for mutant in mutants for test in mutant.tests})
    red = sorted({str(line["test"]) for line in run_tests(tree, tests) if line["outcome"] == "failed"})
    if red:
        raise RuntimeError(f"red without any mutant: {', '.join(red)}")
    print(f"{len(tests)} tests are green with every guard in its place", flush=True)


def main(arguments: Sequence[str]) -> int:
    """Runs all mutants, or those whose names start with one of the arguments."""
    chosen = [mutant for mutant in MUTANTS if not arguments or mutant.name.startswith(tuple(arguments))]
    if not chosen:
        print(f"no mutant begins with {', '.join(arguments)}", file=sys.stderr)
        return 2
    survivors = 0
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        tree = Path(folder)
        copy_tree(tree)
        check_green(tree, chosen)
        for mutant in chosen:
            verdict = try_mutant(tree, mutant)
            survivors += not verdict.killed
            print(f"{'killed' if verdict.killed else 'ALIVE '} {mutant.name}: {verdict.reason}", flush=True)
    print(f"{len(chosen)} mutants, {survivors} alive")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
