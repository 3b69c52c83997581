"""Mutation testing: removes guarded code, one piece at a time, and expects the named tests to fail.

    python -m tools.mutants                        # all guards, and all rows of docs/spec-coverage.md
    python -m tools.mutants h5 h7                  # guards with these name prefixes
    python -m tools.mutants --changed main         # guards and rows whose code or tests differ from a
        commit
    python -m tools.mutants --rows 003-timeout-14  # these rows; `all`: every row

A guard is a statement with a mark above it (`tools.mutants.marks`). A guard without a failing test can
be lost unnoticed: GHSA-j496-crgh-34mx reappeared in Terra's ibc-hooks because a merge reverted the fix and
all tests still passed. A guard is killed if each of its tests fails in its call phase, by an assertion,
pytest's `DID NOT RAISE` or an error of this project. The code is changed in a process forked from one that
has collected the tests; guards that survive, or cannot be changed that way, are tried again in a copy of the
tree. Exit code 1: a guard survived, or a row is not proved.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

from pyibc.installation import PACKAGES
from tools.mutants import rows
from tools.mutants.marks import Guard, Mutated, guards, mutated
from tools.mutants.page import CoverageRow
from tools.mutants.runs import Ran, carry_out, copy_tree, run_changed

ROOT = Path(__file__).resolve().parents[2]
WORKERS = 2


class Verdict(NamedTuple):
    """The result of a guard's tests."""

    is_killed: bool
    reason: str


def verdict_of(ran: Ran, tests: Sequence[str]) -> Verdict:
    """Return whether every test failed in its call phase, by an assertion or an error of this project."""
    if ran.fault:
        return Verdict(False, ran.fault)
    failed = [line for line in ran.lines if line["outcome"] == "failed"]
    for line in failed:
        if line["phase"] != "call" or not line["named"]:
            return Verdict(False, f"{line['test']} broke by {line['raised']} in {line['phase']}")
    red = {line["test"].partition("[")[0] for line in failed}
    green = [test.rpartition("::")[2] for test in tests if test not in red]
    return Verdict(not green, f"survived {', '.join(green)}" if green else f"{len(failed)} red")


def verdicts(root: Path, chosen: Sequence[Guard], workers: int) -> Iterator[tuple[Guard, Verdict]]:
    """Yield each guard with its verdict, in order of completion.

    Raises:
        RuntimeError: a test fails without any change.
    """
    without = {each: mutated((root / each.file).read_text(encoding="utf-8"), each.marks) for each in chosen}
    forked = [each for each in chosen if without[each].functions]
    green = sorted({test for each in chosen for test in each.tests})
    mutants = [_plan_of(each, without[each]) for each in forked]
    killed = set()
    for number, ran in carry_out(root, {"workers": workers, "green": green, "mutants": mutants}):
        verdict = verdict_of(ran, forked[number].tests)
        if verdict.is_killed:
            killed.add(forked[number])
            yield forked[number], verdict
    left = [each for each in chosen if each not in killed]
    yield from _in_copies(root, [(each, without[each]) for each in left], workers)


def _plan_of(guard: Guard, without: Mutated) -> dict[str, object]:
    module = guard.file.removesuffix(".py").replace("/", ".")
    return {"module": module, "tests": guard.tests, **without._asdict()}


def _in_copies(
    root: Path, left: Sequence[tuple[Guard, Mutated]], workers: int
) -> Iterator[tuple[Guard, Verdict]]:
    """Test guards in copies of the tree, one per worker."""
    if not left:
        return
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder, ThreadPoolExecutor(workers) as pool:
        trees: SimpleQueue[Path] = SimpleQueue()
        for number in range(min(workers, len(left))):
            copy_tree(root, Path(folder) / str(number))
            trees.put(Path(folder) / str(number))

        def run(told: tuple[Guard, Mutated]) -> tuple[Guard, Verdict]:
            guard, without = told
            tree = trees.get()
            try:
                return guard, verdict_of(
                    run_changed(tree, guard.file, without.source, guard.tests), guard.tests
                )
            finally:
                trees.put(tree)

        yield from pool.map(run, left)


def changed_files(root: Path, commit: str) -> set[str]:
    """Return the files that differ from a commit.

    Raises:
        subprocess.CalledProcessError: the commit does not exist.
    """
    return set(_git(root, "diff", "--name-only", commit).split())


def _git(root: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=True).stdout


def select(
    root: Path, packages: Sequence[str], names: Sequence[str], numbers: Sequence[str], commit: str
) -> tuple[list[Guard], list[CoverageRow]]:
    """Return the requested guards and rows."""
    everything = not (names or numbers)
    begin = re.compile(
        rf"(?:{'|'.join(map(re.escape, names))})(?!\d)" if names else "" if everything else "$."
    )
    found = [each for each in guards(root, packages) if begin.match(each.name)]
    asked = (
        rows.chosen(rows.provable(root), ["all"] if everything else numbers) if everything or numbers else []
    )
    if commit:
        files = changed_files(root, commit)
        before = set(_git(root, "show", f"{commit}:{rows.PAGE}").splitlines())
        found = [g for g in found if files & {g.file, *(test.partition("::")[0] for test in g.tests)}]
        asked = [
            row
            for row in asked
            if row.line not in before or files & {each.path for each in (*row.places, *row.tests)}
        ]
    return found, asked


def main(
    arguments: Sequence[str] | None = None, root: Path = ROOT, packages: Sequence[str] = PACKAGES
) -> int:
    """Run the requested guards and rows; print the totals last."""
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description=__doc__.partition("\n")[0])
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="run only guards whose names begin with NAME"
    )
    parser.add_argument("--rows", nargs="+", default=[], metavar="ROW", help="rows of docs/spec-coverage.md")
    parser.add_argument(
        "--changed", default="", metavar="COMMIT", help="run only those that differ from a commit"
    )
    parser.add_argument("--workers", type=int, default=WORKERS, help="processes at a time")
    told = parser.parse_args(arguments)
    chosen, asked = select(root, packages, told.names, told.rows, told.changed)
    if told.names and not chosen and not told.changed:
        print(f"no guard begins with {', '.join(told.names)}", file=sys.stderr)
        return 2
    alive = unproved = 0
    for guard, verdict in verdicts(root, chosen, told.workers) if chosen else ():
        alive += not verdict.is_killed
        print(f"{'killed' if verdict.is_killed else 'ALIVE '} {guard.name}: {verdict.reason}", flush=True)
    for row, faults in rows.results(root, asked, told.workers):
        unproved += bool(faults)
        print("".join(f"{row.number} {row.text}\n    {fault}\n" for fault in faults), end="")
    print(f"{len(asked) - unproved} rows proved, {unproved} not; {len(chosen)} guards, {alive} alive")
    return 1 if alive or unproved else 0


if __name__ == "__main__":
    sys.exit(main())
