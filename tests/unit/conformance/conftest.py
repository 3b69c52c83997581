import json

import pytest


@pytest.fixture
def family(tmp_path):
    """Writes files of one family and returns its folder."""

    def write(name, **files):
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        for stem, content in files.items():
            (folder / f"{stem}.json").write_text(json.dumps(content), encoding="utf-8")
        return folder

    return write


@pytest.fixture
def verdicts():
    """Whether each result passed, in order."""
    return lambda results: [result.passed for result in results]
