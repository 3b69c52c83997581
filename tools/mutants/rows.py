"""Proof of the rows of docs/spec-coverage.md: without a row's code, its tests must fail.

A row is proved when removing each of its places makes one of its tests fail, and each of its tests fails for
one of its places. Only a failure in the test's call counts; a broken fixture proves nothing. The last section
of the page lists the rows that cannot be proved that way, each with a reason.
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
    """Result of one row."""

    row: CoverageRow
    faults: tuple[str, ...]


def provable(root: Path) -> list[CoverageRow]:
    """Return the rows with code and tests, except for those that cannot be proved."""
    page = (root / PAGE).read_text(encoding="utf-8")
    aside = unprovable(page)
    return [row for row in coverage_rows(page) if row.places and row.tests and row.number not in aside]


def chosen(rows: Sequence[CoverageRow], patterns: Sequence[str]) -> list[CoverageRow]:
    """Return the rows whose number matches one of the patterns; `all`: every row."""
    wanted = re.compile("|".join(".*" if each == "all" else each for each in patterns))
    return [row for row in rows if wanted.fullmatch(row.number)]


def without(root: Path, rows: Sequence[CoverageRow], workers: int) -> dict[Place, Ran]:
    """Run the tests of all rows that name a place without its code, once per place.

    Raises:
        RuntimeError: a test fails without any change, or pytest cannot run.
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
    """Return why a row is not proved; (): it is."""
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


def results(root: Path, rows: Sequence[CoverageRow], workers: int) -> list[Verdict]:
    """Return the result of each row."""
    ran = without(root, rows, workers) if rows else {}
    return [Verdict(row, faults_of(row, ran)) for row in rows]
