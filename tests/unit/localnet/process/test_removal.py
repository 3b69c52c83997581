"""Networks whose settings are lost, that are removed in part, or that are none."""

import shutil
import signal
import subprocess
import sys
import time

import pytest
from click.testing import CliRunner

import localnet.network
import localnet.process.lifecycle
from localnet.errors import LeftOver, NoSuchNetwork
from localnet.network import Network, NetworkPlan, networks
from localnet.process.startup import HomeLock, owner_pid
from pyibc.cli.localnet import command

NODE = """
import sys
from pathlib import Path
from localnet.process.startup import HomeLock

lock = HomeLock(Path(sys.argv[1]))
input()
"""
PLAN = NetworkPlan(chains=2, validators=1)


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setattr(localnet.network, "default_root", lambda: tmp_path)

    def run(*arguments):
        result = CliRunner().invoke(command, arguments)
        return result.exit_code, result.output

    return run


@pytest.fixture
def started(tmp_path):
    """A network whose first chain ran once."""
    network = Network("n1", tmp_path)
    network.create(PLAN)
    home = network.folder / "n1-a-1"
    HomeLock(home).release()
    (home / "state").mkdir()
    return network


def test_h232_a_removal_that_is_killed_leaves_no_network_to_go_on_from(started, tmp_path, monkeypatch):
    def killed(folder):
        (folder / "network.json").unlink()  # and no other file
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(localnet.process.lifecycle.shutil, "rmtree", killed)
        with pytest.raises(KeyboardInterrupt):
            started.reset()
    assert networks(tmp_path) == []
    with pytest.raises(NoSuchNetwork):
        started.reset()
    started.create(PLAN)
    assert not (started.folder / "n1-a-1" / "state").exists()


def test_h232_what_a_killed_removal_left_goes_when_a_network_is_made(tmp_path):
    (tmp_path / ".n0.removed" / "n0-a-1").mkdir(parents=True)
    Network("n1", tmp_path).create(PLAN)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".lock", "n1"]


def test_h232_a_network_without_its_settings_is_not_made_anew_over_its_state(started, run):
    settings = started.folder / "network.json"
    settings.unlink()
    before = sorted(started.folder.rglob("*"))
    with pytest.raises(LeftOver) as caught:
        started.create(PLAN)
    assert str(started.folder) in str(caught.value)
    code, said = run("up", "--name", "n1", "--chains", "1")
    assert (code, said) == (1, f"error: {caught.value}\n")
    assert sorted(started.folder.rglob("*")) == before
    assert run("reset", "--name", "n1") == (0, "removed n1\n")
    assert not started.folder.exists()


def test_h232_a_network_whose_settings_cannot_be_read_is_stopped_and_removed(started, run):
    (started.folder / "network.json").write_text("{")
    home = started.folder / "n1-a-1"
    with subprocess.Popen([sys.executable, "-c", NODE, home], stdin=subprocess.PIPE) as process:
        deadline = time.monotonic() + 20
        while owner_pid(home) is None and time.monotonic() < deadline:
            time.sleep(0.01)
        assert "localnet reset" in run("status", "--name", "n1")[1]
        assert run("reset", "--name", "n1") == (0, "removed n1\n")
        assert process.wait(5) == -signal.SIGTERM
    assert not started.folder.exists()


def test_a_folder_that_is_no_network_stands_in_nobody_s_way_and_is_not_removed(tmp_path, run, started):
    foreign = tmp_path / "My Network"
    shutil.copytree(started.folder, foreign)
    (tmp_path / "empty" / "kept").mkdir(parents=True)
    (tmp_path / "empty" / "a" / "node.json").mkdir(parents=True)
    assert run("list") == (0, f"networks in {tmp_path}\n{'n1':<20} 0 of 2 chains running\n")
    Network("n2", tmp_path).create(PLAN)
    with pytest.raises(NoSuchNetwork):
        Network("empty", tmp_path).reset()
    assert (tmp_path / "empty" / "kept").is_dir()
    assert foreign.is_dir()
