"""Which runner knows which folder of vectors."""

from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from ibc_module.conformance.case import CaseResult

RUNNERS = {
    "JSONTestSuite": "json_test_suite",
    "bech32": "bech32",
    "chain-registry": "chain_registry",
    "cometbft": "light_mbt",
    "cometbft-literals": "cometbft_literals",
    "go-semantics": "go_semantics",
    "iavl": "iavl_trees",
    "ibc-go": "ibc_go_transfer",
    "ibc-literals": "ibc_literals",
    "ibc-rs": "ibc_rs",
    "ibcgo-transcripts": "transcripts.replay",
    "ics23": "ics23",
    "informal-conformance-tests": "informal",
    "solidity-ibc-eureka": "eureka",
    "tendermint-rs": "tendermint_rs",
    "wycheproof": "wycheproof",
    "zip215": "zip215",
}
"""Name of a folder -> module below `ibc_module.conformance` that has `run(folder)`."""


class FamilyReport(NamedTuple):
    """What came of one folder."""

    family: str  # the folder's name
    results: list[CaseResult]
    left_out: dict[str, str]  # parts that the runner leaves out -> why
    understood: bool

    @property
    def failed(self) -> list[CaseResult]:
        """The cases that did not come out as they should."""
        return [result for result in self.results if not result.passed]


def families(folder: Path) -> list[Path]:
    """The folders of families below `folder`; `folder` itself where it is one, by its name."""
    if folder.name in RUNNERS:
        return [folder]
    return sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))


def run_family(folder: Path) -> FamilyReport:
    """Runs the cases of one family."""
    name = folder.name
    if name not in RUNNERS:
        return FamilyReport(name, [], {}, understood=False)
    module = import_module(f"ibc_module.conformance.{RUNNERS[name]}")
    left_out = module.left_out(folder) if hasattr(module, "left_out") else {}
    return FamilyReport(name, _run(name, module.run, folder), left_out, understood=True)


def _run(name: str, run: Callable[[Path], list[CaseResult]], folder: Path) -> list[CaseResult]:
    try:
        return run(folder)
    except Exception as error:  # noqa: BLE001 - a runner that stops is a failure, and the next family's turn
        return [CaseResult(name, "", "", passed=False, detail=f"the runner stopped: {error!r}")]


def lines(report: FamilyReport) -> Iterator[str]:
    """What to say of one family: a line a failure, then the sum."""
    if not report.understood:
        yield f"{report.family}: not understood, no runner has this name"
        return
    for result in report.failed:
        yield " ".join(f"{report.family} {result.file} {result.case}: {result.detail}".split())
    for part, reason in report.left_out.items():
        yield f"{report.family} leaves out {part}: {reason}"
    failed = len(report.failed)
    yield f"{report.family}: {len(report.results) - failed} passed, {failed} failed"
