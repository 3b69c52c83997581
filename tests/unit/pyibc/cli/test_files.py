import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from pyibc.cli import main


@pytest.mark.parametrize("command", ["demo", "relay"])
def test_a_place_that_cannot_be_written_is_one_line(tmp_path, command):
    (tmp_path / "file").write_text("x")
    within = str(tmp_path / "file" / "out")
    key = tmp_path / "key"
    key.write_text("11" * 32)
    nowhere = "http://127.0.0.1:1"
    options = {
        "demo": ["--out", within],
        "relay": ["--a", nowhere, "--b", nowhere, "--key", within],
    }
    result = CliRunner().invoke(main, [command, *options[command]])
    assert result.exit_code == 1
    assert "a part of this path is a file" in result.output
    assert len(result.output.splitlines()) == 1


def test_a_reader_that_is_gone_is_no_error(tmp_path):
    """As of `pyibc ... | head`: nothing is told, and nobody is there to be told."""
    key = tmp_path / "hub.key"
    key.write_text("11" * 32)
    key.chmod(0o600)
    program = [sys.executable, "-c", "from pyibc.cli import main; main()"]
    ask = [*program, "relay", "keys", "list", "--dir", str(tmp_path)]
    with subprocess.Popen(ask, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert (process.stderr.read(), process.wait()) == (b"", 1)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is full")
@pytest.mark.parametrize("words", [["--help"], ["doctor"]])
def test_output_that_cannot_be_written_is_one_line(words):
    with Path("/dev/full").open("w") as full:
        told = subprocess.run(
            [sys.executable, "-m", "pyibc", *words], check=False, stdout=full, stderr=subprocess.PIPE
        )
    *progress, error = told.stderr.splitlines()
    assert (told.returncode, error) == (1, b"Error: the disk is full")
    assert all(line.startswith(b"checking this machine: ") for line in progress)


LISTED = """
import sys
from pathlib import Path
from pyibc import cli
from pyibc.__main__ import main
cli.COMMANDS["demo"] = "\\N{LATIN SMALL LETTER E WITH ACUTE} \\N{CJK UNIFIED IDEOGRAPH-4E2D}"
sys.argv = ["pyibc", "--help"]
main()
"""


def test_signs_that_a_terminal_has_not_are_written_as_escapes():
    env = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    told = subprocess.run([sys.executable, "-c", LISTED], check=False, capture_output=True, env=env)
    assert (told.returncode, told.stderr) == (0, b"")
    assert b"\xe9 \\u4e2d" in told.stdout
