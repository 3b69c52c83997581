"""`pyibc cometbft install`: one that is found is used, else one is built where localnet looks for it."""

import pytest
from click.testing import CliRunner

import pyibc.cli.cometbft as module
from localnet.comet import homes
from localnet.errors import NoCometBft, WrongSource
from pyibc.cli import main


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A machine without CometBFT and Go; return the folder of commands that are installed."""
    monkeypatch.setattr(homes, "_CACHES", (tmp_path / "clone",))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    monkeypatch.delenv("COMETBFT", raising=False)
    monkeypatch.delenv("IBC_LIVE_BIN", raising=False)
    monkeypatch.setattr("localnet.comet.install._GO", tmp_path / "no-go")
    return tmp_path / "home" / ".pyibc" / "bin"


@pytest.fixture
def built(home, monkeypatch):
    """Building writes a program; return the calls."""
    calls = []

    def install(deadline, step):
        step("building")
        calls.append(deadline.seconds)
        return program(home / "cometbft", "0.38.26")

    monkeypatch.setattr(module, "install", install)
    return calls


def program(path, version):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho {version}\n")
    path.chmod(0o755)
    return path


def run(*options):
    return CliRunner().invoke(main, ["cometbft", "install", *options])


def test_it_is_built_where_localnet_looks(home, built):
    with pytest.raises(NoCometBft):
        homes.cometbft()
    done = run("--timeout", "77")
    assert (done.exit_code, done.stdout) == (0, f"{home / 'cometbft'}\n")
    assert done.stderr.splitlines() == [
        f"building CometBFT 0.38.26 from github.com/cometbft/cometbft, by Go, into {home}",
        f"CometBFT 0.38.26 is installed; {module._NEXT}{module._ABCI}",
    ]
    assert built == [77]
    assert homes.cometbft() == home / "cometbft"


@pytest.mark.parametrize(("where", "version"), [("bin", "0.38.1"), ("clone", "0.38.26+flush")])
def test_one_that_is_found_is_used(home, built, tmp_path, where, version):
    found = program(tmp_path / where / "cometbft", version)
    done = run()
    assert (done.exit_code, done.stdout) == (0, f"{found}\n")
    assert done.stderr.startswith(f"CometBFT {version} is installed already; `pyibc localnet up")
    assert built == []


def test_its_own_of_another_version_is_built_again(home, built):
    program(home / "cometbft", "0.38.25")
    assert run().exit_code == 0
    assert len(built) == 1


def test_one_on_path_that_is_no_038_does_not_matter(home, built, tmp_path):
    program(tmp_path / "bin" / "cometbft", "1.0.1")
    assert run().exit_code == 0
    assert homes.cometbft() == home / "cometbft"


def test_a_wrong_one_that_comes_first_is_told_instead(home, built, tmp_path, monkeypatch):
    wrong = program(tmp_path / "clone" / "cometbft", "1.0.1")
    done = run()
    assert done.exit_code == 1
    assert f"{wrong} is not CometBFT 0.38, it reports the version '1.0.1'" in done.stderr
    monkeypatch.setenv("COMETBFT", str(wrong))
    assert run().exit_code == 1
    monkeypatch.setenv("COMETBFT", str(tmp_path / "absent"))
    assert "not a program: set it to CometBFT's path, or unset it" in run().stderr
    assert built == []


def test_a_failure_is_told_in_one_line(home, monkeypatch):
    wrong = WrongSource("0.38.26", "h1:a=", "h1:b=")

    def install(deadline, step):
        raise wrong

    monkeypatch.setattr(module, "install", install)
    done = run()
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.splitlines()[1:] == [f"error: {wrong}"]
