"""Rows of docs/spec-coverage.md: without the code that a row names, the tests that it names go red.

A row is proved when each place it names turns one of its tests red, and each of its tests is turned red by
one of its places. Red is a test that fails in its own call: what breaks its fixtures proves nothing. The last
section of the page lists rows that cannot be proved so, each with a reason.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from tools.mutants.emptied import NoSuchCode, emptied
from tools.mutants.engine import is_case
from tools.mutants.page import CoverageRow, Place, coverage_rows, unprovable
from tools.mutants.runs import Ran, carry_out

PAGE = "docs/spec-coverage.md"


class Verdict(NamedTuple):
    """What came of one row."""

    row: CoverageRow
    faults: tuple[str, ...]


def provable(root: Path) -> list[CoverageRow]:
    """Return the rows that have code and tests of their own, without those that cannot be proved."""
    page = (root / PAGE).read_text(encoding="utf-8")
    aside = unprovable(page)
    return [row for row in coverage_rows(page) if row.places and row.tests and row.number not in aside]


def chosen(rows: Sequence[CoverageRow], patterns: Sequence[str]) -> list[CoverageRow]:
    """Return the rows whose number is one of the patterns; `all`: every row."""
    wanted = re.compile("|".join(".*" if each == "all" else each for each in patterns))
    return [row for row in rows if wanted.fullmatch(row.number)]


def without(root: Path, rows: Sequence[CoverageRow], workers: int) -> dict[Place, Ran]:
    """Run the tests of all rows that name a place without its code, each place once.

    Raises:
        RuntimeError: a test is red anyway, so that its red would prove nothing; or pytest cannot run.
    """
    wanted: dict[Place, list[str]] = {}
    for row in rows:
        for place in row.places:
            wanted.setdefault(place, []).extend(map(str, row.tests))
    ran: dict[Place, Ran] = {}
    mutants, places = [], []
    for place, tests in sorted(wanted.items(), key=lambda item: len(item[1])):
        try:
            changed = emptied((root / place.path).read_text(encoding="utf-8"), place.symbol, place.what)
        except (NoSuchCode, OSError) as error:
            ran[place] = Ran(fault=str(error))
            continue
        module = place.path.removesuffix(".py").replace("/", ".")
        mutants.append({"module": module, "tests": [*dict.fromkeys(tests)], **changed._asdict()})
        places.append(place)
    green = sorted({str(test) for row in rows for test in row.tests})
    for number, found in carry_out(root, {"workers": workers, "green": green, "mutants": mutants}):
        ran[places[number]] = found
        print(f"{len(found.red):4} red without {places[number]} {found.fault}".rstrip(), flush=True)
    return ran


def faults_of(row: CoverageRow, ran: Mapping[Place, Ran]) -> tuple[str, ...]:
    """Return what keeps a row from being proved; (): nothing."""
    found = [f"{place}: {ran[place].fault}" for place in row.places if ran[place].fault]
    red = {
        place: {test for test in row.tests if any(is_case(str(test), node) for node in ran[place].red)}
        for place in row.places
    }
    found += [
        f"{each} can go: none of its tests goes red"
        for each in row.places
        if not red[each] and not ran[each].fault
    ]
    known = set().union(*red.values())
    return (*found, *(f"{test} stays green" for test in row.tests if test not in known))


def judge(root: Path, rows: Sequence[CoverageRow], workers: int) -> list[Verdict]:
    """Return what came of each row."""
    ran = without(root, rows, workers) if rows else {}
    return [Verdict(row, faults_of(row, ran)) for row in rows]
