"""Results of conformance cases, and the runner of a folder of vector files. No file is skipped silently."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from conformance.files import vector_files
from pyibc.core.errors import IbcError


class CaseResult(NamedTuple):
    """Result of one case of one file."""

    family: str
    file: str  # relative to the family's folder
    case: str
    passed: bool
    detail: str  # the expected and the actual value, empty if the case passed
    left_out: bool = False  # skipped for the reason in `detail`; counted neither as passed nor as failed


class Mismatch(Exception):
    """The result of a case differs from the one in its file."""


class LeftOut(NamedTuple):
    """The case is skipped on purpose."""

    reason: str


Check = Callable[[], None]
"""Run one case: return, or raise `Mismatch` or an error of the code under test."""
Cases = Iterator[tuple[str, Check | LeftOut]]
"""The cases of one file, by name."""
CasesOf = Callable[[Path], Cases | None]
"""Return the cases of a file, or None if its format is unknown."""

UNKNOWN = "nobody understands it"
_EMPTY = "no case in it"


def run_files(folder: Path, cases_of: CasesOf) -> list[CaseResult]:
    """Run the cases of every file below `folder` in path order; the folder's name is the family.

    A file with an unknown format, an unreadable file and a file without cases are failures.
    """
    results: list[CaseResult] = []
    for path in vector_files(folder):
        results += run_file(folder.name, folder, path, cases_of)
    return results


def run_file(family: str, folder: Path, path: Path, cases_of: CasesOf) -> list[CaseResult]:
    """Run the cases of one file below `folder`; return at least one result."""
    name = path.relative_to(folder).as_posix()
    found = [CaseResult(family, name, case, *outcome) for case, outcome in _outcomes(path, cases_of)]
    return found or [CaseResult(family, name, "", passed=False, detail=_EMPTY)]


_Outcome = tuple[bool, str, bool]  # passed, detail, left out


def _outcomes(path: Path, cases_of: CasesOf) -> Iterator[tuple[str, _Outcome]]:
    try:
        cases = cases_of(path)
        if cases is None:
            yield "", (False, UNKNOWN, False)
            return
        for case, check in cases:
            yield case, _outcome(check)
    except Exception as error:  # noqa: BLE001  a broken file is a result, not the end of the run
        yield "", (False, f"cannot read: {error!r}", False)


def _outcome(check: Check | LeftOut) -> _Outcome:
    if isinstance(check, LeftOut):
        return True, check.reason, True
    try:
        check()
    except Exception as error:  # noqa: BLE001  a crash of the code under test is a result
        return False, f"{type(error).__name__}: {error}", False
    return True, "", False


def expect(got: object, expected: object) -> None:
    """Compare two values.

    Raises:
        Mismatch: the values differ.
    """
    if got != expected:
        raise Mismatch(f"expected {expected!r}, got {got!r}")


def refusal(action: Callable[[], object]) -> str:
    """Return the name of the protocol error that `action` raises, or "" if it raises none."""
    try:
        action()
    except IbcError as error:
        return type(error).__name__
    return ""


def nothing() -> None:
    """Fail: a table without rows would otherwise pass silently.

    Raises:
        Mismatch: always.
    """
    raise Mismatch(_EMPTY)


def table_cases(tables: Mapping[str, Sequence[Any]], checks: Mapping[str, Callable[[Any], None]]) -> Cases:
    """Return one case per row of each table; an unknown or empty table is a failed case.

    Args:
        tables: Rows by the table's name.
        checks: The check of a row, by the table's name.
    """
    for name, rows in tables.items():
        check = checks.get(name)
        if check is None or not rows:
            yield name, nothing if check else partial(expect, name, "a known table")
        else:
            yield from ((f"{name}/{index}", partial(check, row)) for index, row in enumerate(rows))


def is_object(data: Any, *names: str) -> bool:
    """Return whether `data` is a JSON object with all of `names`."""
    return isinstance(data, dict) and all(name in data for name in names)
