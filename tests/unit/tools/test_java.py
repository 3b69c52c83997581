"""Set-up of Java: somebody at a terminal is asked before the package manager installs it."""

import os
import pty
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[3] / "tools" / "java.sh"
QUESTION = "Install it with apt-get, for the whole system? [y/N]"
INSTALL = 'echo "$@" >> "$LOG"\n[ "$1" = install ] && sed -i s/11.0.2/17.0.9/ "$JAVA" || true'
PROGRAMS = {"java": "echo 'openjdk version \"11.0.2\" 2019-01-15' >&2", "id": "echo 0", "apt-get": INSTALL}


@pytest.fixture
def machine(tmp_path):
    """A machine with Java 11 and apt-get; returns the exit code, what was printed, and apt-get's commands."""
    for name, text in PROGRAMS.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    log = tmp_path / "log"
    log.touch()
    paths = f"{tmp_path}:{os.environ['PATH']}"
    environment = os.environ | {"PATH": paths, "LOG": str(log), "JAVA": str(tmp_path / "java")}

    def run(answer):
        ours, terminal = pty.openpty()
        os.write(ours, (answer or "").encode())
        stdin = subprocess.DEVNULL if answer is None else terminal
        done = subprocess.run(
            ["/bin/sh", SCRIPT], env=environment, stdin=stdin, stderr=subprocess.PIPE, text=True, check=False
        )
        os.close(ours)
        os.close(terminal)
        return done.returncode, done.stderr, log.read_text().splitlines()

    return run


@pytest.mark.parametrize("answer", ["y\n", None])
def test_java_is_installed_after_a_yes_and_where_nobody_can_be_asked(machine, answer):
    code, told, commands = machine(answer)
    assert (code, commands[0].split()[0], len(commands)) == (0, "update", 2)
    assert commands[1].endswith("openjdk-17-jre-headless")
    assert (QUESTION in told) is (answer is not None)
    assert "installing Java 17+ for Spark with apt-get" in told
    assert machine(None) == (0, "", commands)


@pytest.mark.parametrize("answer", ["n\n", "\n"])
def test_without_a_yes_nothing_is_installed_and_the_mend_is_named(machine, answer):
    code, told, commands = machine(answer)
    assert (code, commands) == (1, [])
    assert QUESTION in told
    assert "install a JRE (Debian: apt-get install default-jre-headless)" in told
