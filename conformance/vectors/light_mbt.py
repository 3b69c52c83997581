"""cometbft/light/mbt: traces of a TLA+ model of the light client, with the verdicts of CometBFT's driver."""

from pathlib import Path

from conformance.case import CaseResult, Cases, run_files
from conformance.files import json_in
from conformance.vectors.light_model import SECOND_NS, is_model, model_cases

FAMILY = "light_mbt"


def run(folder: Path) -> list[CaseResult]:
    """The cases below `folder` (light_mbt/*.json)."""
    return run_files(FAMILY, folder, cases_of)


def cases_of(path: Path) -> Cases | None:
    """The cases of one file; None where it is not of this family's form."""
    data = json_in(path)
    return model_cases(data, SECOND_NS, lambda members: members) if is_model(data) else None
