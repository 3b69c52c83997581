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
    assert "Not a directory" in result.output
    assert len(result.output.splitlines()) == 1


def test_a_key_alone_is_wrong_use(tmp_path):
    result = CliRunner().invoke(main, ["relay", "--key", str(tmp_path / "key")])
    assert result.exit_code == 2
    assert "belong together" in result.output
