"""Parser of docs/spec-coverage.md: rows, their code and tests, and rows that no mutant can prove."""

import re
from collections.abc import Iterator
from typing import NamedTuple

ROW = re.compile(r"^\| (00[0-4]-[\w.]+-\d+) \| (.+) \|$", re.MULTILINE)
PLACE = re.compile(r"`([\w/]+\.py):([\w.]+)(?:@([\w.]+))?`")
TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)(?:\[([^`]+)\])?`")
ADR = re.compile(r"\[ADR \d+\]\((adr/[\w-]+\.md)\)")
CELL = re.compile(r" (?<!\\)\| ")
UNPROVABLE = re.compile(r"^- (00[0-4]-[\w.]+-\d+): (.+)$", re.MULTILINE)
"""Row -> reason, from the last section: no change of the row's code can make its test fail."""


class Place(NamedTuple):
    """Code that a row names: `path.py:symbol`, or the statement of `symbol` that names `what`."""

    path: str
    symbol: str
    what: str

    def __str__(self) -> str:
        return f"{self.path}:{self.symbol}" + (f"@{self.what}" if self.what else "")


class Shown(NamedTuple):
    """A test that a row names, or one case of it."""

    path: str
    name: str
    case: str  # "": all cases

    def __str__(self) -> str:
        return f"{self.path}::{self.name}" + (f"[{self.case}]" if self.case else "")


class CoverageRow(NamedTuple):
    """A requirement, with its code and tests."""

    number: str
    text: str
    places: tuple[Place, ...]
    tests: tuple[Shown, ...]
    same_as: tuple[str, ...]  # rows of earlier documents with the same requirement
    line: str


def coverage_rows(page: str) -> Iterator[CoverageRow]:
    """Return the rows in order; `tools/lint_tree/pages.py` checks their form."""
    for found in ROW.finditer(page):
        number, cells = found[1], CELL.split(found[2])
        if len(cells) == 2:
            yield CoverageRow(number, cells[0], (), (), tuple(cells[1].split(", ")), found[0])
            continue
        text, code, shown = cells
        places = tuple(Place(*each) for each in PLACE.findall(code))
        yield CoverageRow(
            number, text, places, tuple(Shown(*each) for each in TEST.findall(shown)), (), found[0]
        )


def unprovable(page: str) -> dict[str, str]:
    """Return the rows that no mutant can prove, with the reason."""
    return dict(UNPROVABLE.findall(page))
