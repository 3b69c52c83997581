import json

import pytest
from click.testing import CliRunner

from pyibc.cli import main

GOOD = {"denom": [{"path": "uatom", "ibc": "uatom"}]}
BAD = {"denom": [{"path": "uatom", "ibc": "x"}, {"path": "y", "ibc": "y"}]}


@pytest.fixture
def run(tmp_path):
    def call(tables=None, folder="."):
        if tables is not None:
            (tmp_path / "ibc-literals").mkdir()
            (tmp_path / "ibc-literals" / "ibc.json").write_text(json.dumps(tables))
        return CliRunner().invoke(main, ["conformance", str(tmp_path / folder)])

    return call


def test_all_passed(run):
    result = run(GOOD)
    assert result.exit_code == 0
    assert result.output.splitlines() == ["ibc-literals: 1 passed, 0 failed", "1 passed, 0 failed"]


def test_failures(run):
    result = run(BAD)
    assert result.exit_code == 1
    assert result.output.splitlines() == [
        "ibc-literals ibc.json denom/0: Mismatch: expected 'x', got 'uatom'",
        "ibc-literals: 1 passed, 1 failed",
        "1 passed, 1 failed",
    ]


def test_one_family_alone(run):
    assert run(GOOD, "ibc-literals").output.splitlines()[-1] == "1 passed, 0 failed"


def test_files_of_no_family_fail(run, tmp_path):
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "x.json").write_text("[1, 2]")
    (tmp_path / "here.bin").write_bytes(b"x")
    (tmp_path / "README.md").write_text("about")
    result = run(GOOD)
    assert result.exit_code == 1
    assert result.output.splitlines() == [
        ". here.bin: nobody understands it",
        ".: 0 passed, 1 failed",
        "ibc-literals: 1 passed, 0 failed",
        "odd x.json: nobody understands it",
        "odd: 0 passed, 1 failed",
        "1 passed, 2 failed",
    ]


def test_wrong_use(run, tmp_path):
    assert run().exit_code == 2
    assert run(folder="absent").exit_code == 2
    (tmp_path / "file").write_text("x")
    assert run(folder="file").exit_code == 2
    assert CliRunner().invoke(main, ["conformance"]).exit_code == 2


def test_nothing_but_empty_folders_is_wrong_use(run, tmp_path):
    (tmp_path / "odd").mkdir()
    assert run().exit_code == 2
