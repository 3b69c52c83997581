"""Commands in a project's folder mean its network."""

import pytest
from click.testing import CliRunner

from localnet.settings import FILE
from pyibc.cli import main


@pytest.mark.parametrize(
    "words",
    [
        "query bank total",
        "query packet channel-0 1",
        "query packet channel-0 1 --from mine/a-1",
        "tx bank send bob 5stake",
        "tx json /a {}",
        "relay",
        "relay create path",
        "localnet status",
        "localnet keys",
        "localnet fund bob",
        "localnet verify",
    ],
)
@pytest.mark.parametrize("name", ["mine", None])
def test_the_network_is_that_of_the_folder(tmp_path, monkeypatch, words, name):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYIBC_LOCALNET", str(tmp_path / "none"))
    if name is not None:
        (tmp_path / FILE).write_text(f'name = "{name}"\n')
    done = CliRunner().invoke(main, words.split())
    wanted = "mine" if "mine/" in words else name or "default"
    assert f"no network is named '{wanted}'" in done.stderr
    assert done.exit_code in {1, 2}


def test_a_malformed_file_is_named_by_a_command_on_one_chain(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / FILE).write_text("name = 1\n")
    done = CliRunner().invoke(main, ["query", "bank", "total"])
    assert done.exit_code == 1
    assert FILE in done.stderr
