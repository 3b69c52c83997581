import json
from pathlib import Path

import pytest

from conformance.transcripts.replay import Replay, load

FOLDER = Path(__file__).parents[3] / "vectors" / "ibcgo-transcripts"


@pytest.fixture
def recorded():
    """A recorded transcript's JSON by its name, the caller's own to change."""
    return lambda name: load(FOLDER / f"{name}.json.gz")


@pytest.fixture
def replay(tmp_path):
    """The results of a transcript's JSON."""

    def run(document):
        path = tmp_path / "transcript.json"
        path.write_text(json.dumps(document))
        return Replay(path).run()

    return run
