"""What a JVM prints while it starts is held back, and printed if it does not start."""

import subprocess
import sys

import pytest

from pyibc.indexer.spark.java import held_back

PRINTS = (
    "import sys; print('looked up', file=sys.stderr, flush=True); print('ready', flush=True);"
    " sys.stdin.read(); print('later', file=sys.stderr)"
)


@pytest.fixture
def start():
    """Start a process that prints to standard error now, and once more at the end of its input."""

    def go():
        process = subprocess.Popen(
            [sys.executable, "-c", PRINTS], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert process.stdout.readline() == b"ready\n"
        return process

    return go


def told(capfd, last):
    found = ""
    while last not in found:
        found += capfd.readouterr().err
    return found.splitlines()


def test_the_start_is_held_back_and_the_rest_passed_on(capfd, start):
    capfd.readouterr()
    with held_back():
        process = start()
    process.communicate()
    assert told(capfd, "later") == ["later"]
    print("own", file=sys.stderr, flush=True)
    assert told(capfd, "own") == ["own"]


def test_a_start_that_fails_shows_what_was_printed(capfd, start):
    capfd.readouterr()
    processes = []

    @held_back()
    def fail():
        processes.append(start())
        raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert told(capfd, "looked up") == ["looked up"]
    processes[0].communicate()
    assert told(capfd, "later") == ["later"]
