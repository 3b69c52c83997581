"""What a family's runner reports, and how it walks a folder: no file is passed over in silence."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ibc_module.errors import IbcError

_PROSE = {"ORIGIN.md", "README.md", "LICENSE"}


class CaseResult(NamedTuple):
    """One case of one file."""

    family: str
    file: str  # relative to the family's folder
    case: str
    passed: bool
    detail: str  # what was expected and what came, empty where it passed


class Mismatch(Exception):
    """A case came out otherwise than its file says."""


Check = Callable[[], None]
"""Runs one case: returns, or raises `Mismatch` or an error of the code under test."""


def run_files(
    family: str, folder: Path, cases_of: Callable[[Path], Iterator[tuple[str, Check]] | None]
) -> list[CaseResult]:
    """Runs the cases of every file under `folder`, in path order.

    Args:
        family: for the results.
        folder: holds the family's files at any depth.
        cases_of: the named cases of a file; None where it does not know the file, which is a failure.
    """
    results: list[CaseResult] = []
    for path in sorted(p for p in folder.rglob("*") if p.is_file() and p.name not in _PROSE):
        name = path.relative_to(folder).as_posix()
        results += [CaseResult(family, name, case, *outcome) for case, outcome in _outcomes(path, cases_of)]
    return results


def _outcomes(
    path: Path, cases_of: Callable[[Path], Iterator[tuple[str, Check]] | None]
) -> Iterator[tuple[str, tuple[bool, str]]]:
    try:
        cases = cases_of(path)
        if cases is None:
            yield "", (False, "no runner knows this file")
            return
        for case, check in cases:
            yield case, _outcome(check)
    except Exception as error:  # noqa: BLE001  a broken file is a result, not the end of the run
        yield "", (False, f"cannot read: {error!r}")


def _outcome(check: Check) -> tuple[bool, str]:
    try:
        check()
    except Exception as error:  # noqa: BLE001  a crash of the code under test is a result
        return False, f"{type(error).__name__}: {error}"
    return True, ""


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


def load_json(path: Path) -> Any:
    """The JSON in a file."""
    return json.loads(path.read_text(encoding="utf-8"))


def tables(folder: Path) -> Iterator[dict[str, Any]]:
    """The JSON objects below `folder`, a file each; of the other files `run_files` speaks."""
    for path in sorted(folder.rglob("*.json")):
        try:
            content = load_json(path)
        except (ValueError, RecursionError):  # no UTF-8, no JSON, nested too deeply
            continue
        if isinstance(content, dict):
            yield content
