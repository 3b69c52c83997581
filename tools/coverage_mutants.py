"""docs/spec-coverage.md proves itself: without the code that a row names, the tests that it names go red.

    python -m tools.coverage_mutants                          # every row
    python -m tools.coverage_mutants --only 003-timeout-14    # these
    python -m tools.coverage_mutants --changed main           # those that differ from that commit

All tests must be green before. A row is proved when each place it names turns one of its tests red, and each
of its tests is turned red by one of its places. Red is a test that fails in its own call: what breaks its
fixtures proves nothing. The last section of the page lists rows that cannot be proved so, each with a reason.
Exit code 1: one is not proved.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from tools.coverage_edit import NoSuchCode, emptied
from tools.coverage_page import CoverageRow, Place, Shown, coverage_rows, unprovable

ROOT = Path(__file__).resolve().parents[1]
PAGE = "docs/spec-coverage.md"
WORKERS = 2
TEST_TIMEOUT_S = 60
TIMEOUT_S = 240


class Ran(NamedTuple):
    """What the tests said without one place."""

    red: frozenset[str]  # node ids that failed in their call
    fault: str = ""  # why nothing could be run


class Verdict(NamedTuple):
    """What came of one row."""

    row: CoverageRow
    faults: tuple[str, ...]


def collected(files: Sequence[str]) -> list[str]:
    """The node ids of all tests in the files.

    Raises:
        subprocess.CalledProcessError: pytest cannot read one.
    """
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *files]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [line for line in ran.stdout.splitlines() if "::" in line]


def cases(shown: Shown, nodes: Iterable[str]) -> set[str]:
    """The node ids of a test, or of the case that is named: of a fixture's and its own, either will do."""
    start = f"{shown.path}::{shown.name}"
    found = set()
    for node in nodes:
        name, _, case = node.partition("[")
        case = case.removesuffix("]")
        if name == start and (not shown.case or shown.case == case or shown.case in case.split("-")):
            found.add(node)
    return found


def without(place: Place, nodes: Sequence[str], folder: Path) -> Ran:
    """Runs tests without the code of one place."""
    try:
        changed = emptied((ROOT / place.path).read_text(encoding="utf-8"), place.symbol, place.what)
    except (NoSuchCode, OSError) as error:
        return Ran(frozenset(), str(error))
    report, told = folder / "report.jsonl", folder / "mutant.json"
    module = place.path.removesuffix(".py").replace("/", ".")
    facts = {"module": module, **changed._asdict()}
    told.write_text(json.dumps({**facts, "report": str(report)}), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "--tb=no", "-p", "no:cacheprovider"]
    command += [
        "-p",
        "tools.coverage_report",
        "-m",
        "slow or not slow",
        "--timeout",
        str(TEST_TIMEOUT_S),
        *nodes,
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COVERAGE_MUTANT": str(told)}
    try:
        ran = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired:
        return Ran(frozenset(nodes))  # a loop that never ends without it is a failure too
    if ran.returncode not in (0, 1):
        return Ran(frozenset(), f"pytest ended with {ran.returncode}: {ran.stdout[-300:]}{ran.stderr[-300:]}")
    lines = [json.loads(line) for line in report.read_text(encoding="utf-8").splitlines()]
    red = {line["test"] for line in lines if line["outcome"] == "failed" and line["phase"] == "call"}
    return Ran(frozenset(red))


def check_green(nodes: Sequence[str]) -> None:
    """Checks that all tests pass with everything in its place: else their red would prove nothing.

    Raises:
        RuntimeError: one does not.
    """
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "--tb=no",
        "-p",
        "no:cacheprovider",
        "-m",
        "slow or not slow",
    ]
    ran = subprocess.run([*command, *nodes], cwd=ROOT, capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        raise RuntimeError(f"red with everything in its place:\n{ran.stdout[-2000:]}")
    print(f"{len(nodes)} tests are green with everything in its place", flush=True)


def faults_of(row: CoverageRow, ran: dict[Place, Ran], nodes: dict[Shown, set[str]]) -> tuple[str, ...]:
    """What keeps a row from being proved; (): nothing."""
    found = [f"{place}: {ran[place].fault}" for place in row.places if ran[place].fault]
    red = {place: {test for test in row.tests if nodes[test] & ran[place].red} for place in row.places}
    found += [
        f"{p} can go: none of its tests goes red" for p in row.places if not red[p] and not ran[p].fault
    ]
    known = set().union(*red.values())
    return (*found, *(f"{test} stays green" for test in row.tests if test not in known))


def judge(rows: Sequence[CoverageRow]) -> list[Verdict]:
    """Runs what the rows name, each place once, with the tests of all rows that name it."""
    files = sorted({test.path for row in rows for test in row.tests})
    there = collected(files)
    nodes = {test: cases(test, there) for row in rows for test in row.tests}
    check_green(sorted(set().union(*nodes.values())))
    wanted: dict[Place, set[str]] = {}
    for row in rows:
        for place in row.places:
            wanted.setdefault(place, set()).update(*(nodes[test] for test in row.tests))

    def run(place: Place) -> tuple[Place, Ran]:
        with tempfile.TemporaryDirectory(prefix="coverage-") as folder:
            ran = without(place, sorted(wanted[place]), Path(folder))
        print(
            f"{len(ran.red):4} of {len(wanted[place]):4} red without {place} {ran.fault}".rstrip(), flush=True
        )
        return place, ran

    with ThreadPoolExecutor(WORKERS) as pool:
        ran = dict(pool.map(run, sorted(wanted, key=lambda place: len(wanted[place]))))
    return [Verdict(row, faults_of(row, ran, nodes)) for row in rows]


def changed_rows(rows: Sequence[CoverageRow], commit: str) -> list[CoverageRow]:
    """Rows whose line, code or test is not as in `commit`.

    Raises:
        subprocess.CalledProcessError: git knows no such commit.
    """

    def git(*arguments: str) -> str:
        return subprocess.run(
            ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout

    files = set(git("diff", "--name-only", commit).split())
    before = set(git("show", f"{commit}:{PAGE}").splitlines())
    return [
        row
        for row in rows
        if row.line not in before or files & {each.path for each in (*row.places, *row.tests)}
    ]


def main(arguments: Sequence[str]) -> int:
    """Judges the chosen rows; the last line counts."""
    parser = argparse.ArgumentParser(prog="python -m tools.coverage_mutants")
    parser.add_argument("--only", nargs="+", default=[], metavar="ROW")
    parser.add_argument("--changed", metavar="COMMIT")
    chosen = parser.parse_args(arguments)
    page = (ROOT / PAGE).read_text(encoding="utf-8")
    aside, everything = unprovable(page), list(coverage_rows(page))
    rows = [row for row in everything if row.places and row.tests and row.number not in aside]
    if chosen.changed:
        rows = changed_rows(rows, chosen.changed)
    if chosen.only:
        rows = [row for row in rows if re.match(f"({'|'.join(chosen.only)})$", row.number)]
    verdicts = judge(rows)
    failed = [verdict for verdict in verdicts if verdict.faults]
    for row, faults in failed:
        print(f"{row.number} {row.text}")
        for fault in faults:
            print(f"    {fault}")
    repeated = sum(bool(row.same_as) for row in everything)
    print(f"aside: {repeated} rows say what an earlier row says, {len(aside)} cannot be proved so")
    print(f"{len(rows) - len(failed)} rows proved, {len(failed)} not")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
