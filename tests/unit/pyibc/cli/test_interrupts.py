"""A command that is told to end while it is still being imported, or before it has begun."""

import signal
import socket
import subprocess
import sys

import pytest

PROGRAM = """
import os, runpy, sys
from importlib.abc import MetaPathFinder

MODULE, SIGNAL, *ARGUMENTS = sys.argv[1:]

class Interrupting(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == MODULE:
            os.kill(os.getpid(), int(SIGNAL))

sys.meta_path.insert(0, Interrupting())
sys.argv = ["pyibc", *ARGUMENTS]
runpy.run_module("pyibc", run_name="__main__")
"""
NOBODY = ("--a", "http://127.0.0.1:1", "--b", "http://127.0.0.1:2")


def interrupted(module, number, *arguments):
    command = [sys.executable, "-c", PROGRAM, module, str(int(number)), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    ("command", "module", "number"),
    [
        ("relay", "click", signal.SIGINT),
        ("relay", "pyibc.cli.between", signal.SIGTERM),
        ("watch", "pyibc.relayer.rpc.endpoint", signal.SIGINT),
    ],
)
def test_who_follows_ends_well_whenever_it_is_told_to(command, module, number):
    assert interrupted(module, number, command, "--follow", *NOBODY) == (0, "")


@pytest.mark.parametrize(
    ("module", "number"), [("click", signal.SIGTERM), ("localnet.network", signal.SIGINT)]
)
def test_any_other_command_says_that_it_was_aborted(module, number):
    assert interrupted(module, number, "localnet", "list") == (1, "Aborted!\n")


@pytest.fixture
def silent():
    """Where a node is waited for that never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", listener


@pytest.mark.parametrize(
    ("number", "follow", "code", "said"),
    [(signal.SIGTERM, ["--follow"], 0, ""), (signal.SIGINT, [], 1, "\nAborted!\n")],
)
def test_a_wait_for_a_chain_is_ended_too(silent, tmp_path, number, follow, code, said):
    url, listener = silent
    key = tmp_path / "key"
    key.write_text("01" * 32)
    key.chmod(0o600)
    command = [sys.executable, "-m", "pyibc", "relay", "--a", url, "--b", url, "--key", str(key), *follow]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        peer, _ = listener.accept()
        with peer:
            process.send_signal(number)
            assert (process.wait(20), process.stderr.read()) == (code, said)
