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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tools.collected import collected
from tools.coverage_edit import NoSuchCode, emptied
from tools.coverage_page import CoverageRow, Place, Shown, coverage_rows, unprovable
from tools.coverage_report import GREEN

ROOT = Path(__file__).resolve().parents[1]
PAGE = "docs/spec-coverage.md"
WORKERS = 2
TEST_TIMEOUT_S = 180
"""A test that takes longer is in a loop without end, which is a failure too."""


class Ran(NamedTuple):
    """What the tests said without one place."""

    red: frozenset[str]  # node ids that failed in their call
    fault: str = ""  # why nothing could be run


class Verdict(NamedTuple):
    """What came of one row."""

    row: CoverageRow
    faults: tuple[str, ...]


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


def without(
    wanted: Mapping[Place, set[str]], green: Sequence[str], files: Sequence[str], workers: int
) -> dict[Place, Ran]:
    """Runs tests without the code of each place, after all of them with everything in its place.

    Raises:
        RuntimeError: a test is red anyway, so that its red would prove nothing; or pytest cannot run.
    """
    ran: dict[Place, Ran] = {}
    mutants, places = [], []
    for place in sorted(wanted, key=lambda place: len(wanted[place])):
        try:
            changed = emptied((ROOT / place.path).read_text(encoding="utf-8"), place.symbol, place.what)
        except (NoSuchCode, OSError) as error:
            ran[place] = Ran(frozenset(), str(error))
            continue
        module = place.path.removesuffix(".py").replace("/", ".")
        mutants.append({"module": module, "nodes": sorted(wanted[place]), **changed._asdict()})
        places.append(place)
    for number, found in _runs({"workers": workers, "green": green, "mutants": mutants}, files):
        if number == GREEN:
            if found.red or found.fault:
                raise RuntimeError(f"red with everything in its place: {found.fault} {sorted(found.red)}")
            print(f"{len(green)} tests are green with everything in its place", flush=True)
            continue
        place = places[number]
        ran[place] = found
        counts = f"{len(found.red):4} of {len(wanted[place]):4}"
        print(f"{counts} red without {place} {found.fault}".rstrip(), flush=True)
    return ran


def _runs(plan: Mapping[str, object], files: Sequence[str]) -> Iterator[tuple[int, Ran]]:
    """The runs of a plan by number, as they end."""
    red: dict[int, set[str]] = {}
    faults: dict[int, str] = {}
    for line in _told(plan, files):
        number = line["run"]
        if line.get("outcome") == "failed" and (line["phase"] == "call" or number == GREEN):
            red.setdefault(number, set()).add(line["test"])
        faults[number] = line.get("fault", faults.get(number, ""))
        if "ended" in line:
            fault = faults[number] or (f"its process ended with {line['ended']}" if line["ended"] else "")
            yield number, Ran(frozenset(red.get(number, ())), fault)


def _told(plan: Mapping[str, object], files: Sequence[str]) -> Iterator[Any]:
    """What the plugin says while it carries out a plan."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "tools.coverage_report"]
    command += ["-m", "slow or not slow", "--timeout", str(TEST_TIMEOUT_S), *files]
    there, here = os.pipe()
    with (
        tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".json") as told,
        os.fdopen(there) as lines,
    ):
        json.dump({"pipe": here, **plan}, told)
        told.flush()
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "COVERAGE_PLAN": told.name}
        tests = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, pass_fds=[here]
        )
        os.close(here)
        try:
            yield from map(json.loads, lines)
        finally:
            tests.terminate()
            tests.wait()


def faults_of(row: CoverageRow, ran: dict[Place, Ran], nodes: dict[Shown, set[str]]) -> tuple[str, ...]:
    """What keeps a row from being proved; (): nothing."""
    found = [f"{place}: {ran[place].fault}" for place in row.places if ran[place].fault]
    red = {place: {test for test in row.tests if nodes[test] & ran[place].red} for place in row.places}
    found += [
        f"{p} can go: none of its tests goes red" for p in row.places if not red[p] and not ran[p].fault
    ]
    known = set().union(*red.values())
    return (*found, *(f"{test} stays green" for test in row.tests if test not in known))


def judge(rows: Sequence[CoverageRow], workers: int = WORKERS) -> list[Verdict]:
    """Runs what the rows name, each place once, with the tests of all rows that name it."""
    files = sorted({test.path for row in rows for test in row.tests})
    there = collected(ROOT, files)
    nodes = {test: cases(test, there) for row in rows for test in row.tests}
    wanted: dict[Place, set[str]] = {}
    for row in rows:
        for place in row.places:
            wanted.setdefault(place, set()).update(*(nodes[test] for test in row.tests))
    ran = without(wanted, sorted(set().union(*nodes.values())), files, workers)
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
    parser.add_argument("--workers", type=int, default=WORKERS)
    chosen = parser.parse_args(arguments)
    page = (ROOT / PAGE).read_text(encoding="utf-8")
    aside, everything = unprovable(page), list(coverage_rows(page))
    rows = [row for row in everything if row.places and row.tests and row.number not in aside]
    if chosen.changed:
        rows = changed_rows(rows, chosen.changed)
    if chosen.only:
        rows = [row for row in rows if re.match(f"({'|'.join(chosen.only)})$", row.number)]
    verdicts = judge(rows, chosen.workers)
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
