"""What a family's runner reports, and how it walks a folder: no file is passed over in silence."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from conformance.files import vector_files
from ibc_core.errors import IbcError


class CaseResult(NamedTuple):
    """One case of one file."""

    family: str
    file: str  # relative to the family's folder
    case: str
    passed: bool
    detail: str  # what was expected and what came, empty where it passed
    left_out: bool = False  # not run, for the reason in `detail`; neither passed nor failed


class Mismatch(Exception):
    """A case came out otherwise than its file says."""


class LeftOut(NamedTuple):
    """A case that is not run."""

    reason: str


Check = Callable[[], None]
"""Runs one case: returns, or raises `Mismatch` or an error of the code under test."""
Cases = Iterator[tuple[str, Check | LeftOut]]
"""Named cases of one file."""
CasesOf = Callable[[Path], Cases | None]
"""The cases of a file; None where its form is unknown."""

UNKNOWN = "nobody understands it"
_EMPTY = "no case in it"


def run_files(folder: Path, cases_of: CasesOf) -> list[CaseResult]:
    """Runs the cases of every file below `folder`, in path order; the folder's name is the family.

    A file that has another form, cannot be read, or contains no case is a failure.
    """
    results: list[CaseResult] = []
    for path in vector_files(folder):
        results += run_file(folder.name, folder, path, cases_of)
    return results


def run_file(family: str, folder: Path, path: Path, cases_of: CasesOf) -> list[CaseResult]:
    """Runs the cases of one file below `folder`; there is a result of it in any case."""
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
    """Compares.

    Raises:
        Mismatch: they differ.
    """
    if got != expected:
        raise Mismatch(f"expected {expected!r}, got {got!r}")


def refusal(action: Callable[[], object]) -> str:
    """The name of the protocol error that `action` raises, empty where it raises none."""
    try:
        action()
    except IbcError as error:
        return type(error).__name__
    return ""


def nothing() -> None:
    """The check of a table without rows: it would pass in silence.

    Raises:
        Mismatch: always.
    """
    raise Mismatch(_EMPTY)


def table_cases(tables: Mapping[str, Sequence[Any]], checks: Mapping[str, Callable[[Any], None]]) -> Cases:
    """One case per row of each table; an unknown or empty table is a failed case.

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
    """Whether `data` is a JSON object that has all of `names`."""
    return isinstance(data, dict) and all(name in data for name in names)
