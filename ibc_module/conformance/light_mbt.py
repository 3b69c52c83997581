"""cometbft/light/mbt: traces of a TLA+ model of the light client, with the verdicts of CometBFT's driver."""

from collections.abc import Iterator
from pathlib import Path

from ibc_module.conformance.case import CaseResult, Check, load_json, run_files
from ibc_module.conformance.light_model import SECOND_NS, model_cases

FAMILY = "light_mbt"


def run(folder: Path) -> list[CaseResult]:
    """The cases below `folder` (light_mbt/*.json)."""
    return run_files(FAMILY, folder, _cases)


def _cases(path: Path) -> Iterator[tuple[str, Check]] | None:
    if path.suffix != ".json":
        return None
    return model_cases(load_json(path), SECOND_NS, lambda members: members)
