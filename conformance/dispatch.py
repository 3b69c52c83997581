"""Assignment of folders and files of vectors to the runners of their families."""

from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from conformance.case import UNKNOWN, CaseResult, run_file, run_files
from conformance.files import is_prose, vector_files

RUNNERS = {
    "JSONTestSuite": "vectors.json_test_suite",
    "bech32": "vectors.bech32",
    "chain-registry": "vectors.chain_registry",
    "cometbft": "vectors.light_mbt",
    "cometbft-literals": "vectors.cometbft_literals",
    "dump": "vectors.live_dump",
    "go-semantics": "vectors.go_semantics",
    "iavl": "vectors.iavl_trees",
    "ibc-go": "vectors.ibc_go_transfer",
    "ibc-literals": "vectors.ibc_literals",
    "ibc-rs": "vectors.ibc_rs",
    "ibcgo-transcripts": "transcripts.replay",
    "ics23": "vectors.ics23",
    "informal-conformance-tests": "vectors.informal",
    "solidity-ibc-eureka": "vectors.eureka",
    "tendermint-rs": "vectors.tendermint_rs",
    "wycheproof": "vectors.wycheproof",
    "zip215": "vectors.zip215",
}
"""Folder name -> module below `conformance` with a function `cases_of(path)`."""

_BY_FORM = ("tendermint-rs", *RUNNERS)
"""Families that are tried first on a file without a family: the first also runs the CometBFT models, whose
validator sets are sorted already."""
_NAMES_SHOWN = 3


class FamilyReport(NamedTuple):
    """Results of one folder."""

    family: str  # the folder's name
    results: list[CaseResult]

    @property
    def failed(self) -> list[CaseResult]:
        """The cases that failed."""
        return [result for result in self.results if not result.passed]

    @property
    def passed(self) -> int:
        """Number of passed cases."""
        return sum(result.passed and not result.left_out for result in self.results)


def reports(folder: Path) -> Iterator[tuple[str, Callable[[], FamilyReport]]]:
    """Return what to run in `folder`, by name: folders named after families, then all other files one by one.

    `folder` may be a folder of families, one family, or contain files of several families.
    """
    if folder.name in RUNNERS:
        yield folder.name, lambda: run_family(folder)
        return
    entries = sorted(path for path in folder.iterdir() if path.name != ".git")
    loose = [path for path in entries if not path.is_dir() and not is_prose(path)]
    if loose:
        yield ".", lambda: _run_loose(".", folder, loose)
    for path in (each for each in entries if each.is_dir()):
        yield path.name, lambda path=path: run_family(path)  # type: ignore[misc]  # bound now, as it must be


def run_family(folder: Path) -> FamilyReport:
    """Run the cases of one folder with its family's runner, or each file with the runner of its format."""
    name = folder.name
    if name not in RUNNERS:
        return _run_loose(name, folder, vector_files(folder))
    return FamilyReport(name, _run(folder))


def _module(name: str) -> Any:
    return import_module(f"conformance.{RUNNERS[name]}")


def _run(folder: Path) -> list[CaseResult]:
    try:
        return run_files(folder, _module(folder.name).cases_of)
    except Exception as error:  # noqa: BLE001 - a runner that crashes is a failure; other families still run
        return [CaseResult(folder.name, "", "", passed=False, detail=f"the runner stopped: {error!r}")]


def _run_loose(name: str, folder: Path, paths: list[Path]) -> FamilyReport:
    results: list[CaseResult] = []
    for path in paths:
        found = next((family for family in _BY_FORM if _understands(family, path)), None)
        if found is None:
            file = path.relative_to(folder).as_posix()
            results.append(CaseResult(name, file, "", passed=False, detail=UNKNOWN))
        else:
            results += run_file(name, folder, path, _module(found).cases_of)
    return FamilyReport(name, results)


def _understands(family: str, path: Path) -> bool:
    try:
        return _module(family).cases_of(path) is not None
    except Exception:  # noqa: BLE001 - not even JSON, or JSON of another form
        return False


def lines(report: FamilyReport) -> Iterator[str]:
    """Return the report lines of one folder: one per failure, one per reason for skipping, then the total."""
    for result in report.failed:
        yield _one_line(f"{report.family} {result.file} {result.case}".rstrip() + f": {result.detail}")
    left_out: dict[str, dict[str, list[str]]] = {}  # by reason and file
    for result in report.results:
        if result.left_out:
            left_out.setdefault(result.detail, {}).setdefault(result.file, []).append(result.case)
    for reason, files in left_out.items():
        parts = ", ".join(_named(file, cases) for file, cases in files.items())
        yield _one_line(f"{report.family} leaves out {parts}: {reason}")
    failed = len(report.failed)
    yield f"{report.family}: {report.passed} passed, {failed} failed"


def _named(file: str, cases: list[str]) -> str:
    shown = ", ".join(cases[:_NAMES_SHOWN]) + (
        f" and {len(cases) - _NAMES_SHOWN} more" * (len(cases) > _NAMES_SHOWN)
    )
    return f"{file} ({shown})" if shown else file


def _one_line(text: str) -> str:
    return " ".join(text.split())
