"""cometbft/light/mbt: traces of a TLA+ model of the light client, with the verdicts of CometBFT's driver."""

from pathlib import Path

from conformance.case import Cases
from conformance.files import json_in
from conformance.vectors.light_model import SECOND_NS, is_model, model_cases


def cases_of(path: Path) -> Cases | None:
    """Return the cases of a model trace (light_mbt/*.json); None for any other file."""
    data = json_in(path)
    return model_cases(data, SECOND_NS, lambda members: members) if is_model(data) else None
