"""A CometBFT that waits for its application for ever, after its supervisor was killed."""

import os
import signal
import subprocess
import threading

import pytest

from localnet.comet.application import PID_FILE, end_orphan

WAITS = ("sh", "-c", "echo; exec sleep 600")
DEAF = ("sh", "-c", "trap '' TERM; echo; while :; do sleep 0.05; done")


@pytest.fixture
def started(tmp_path):
    """Processes at a home that say a line when they are ready; reaped as they end."""
    made = []

    def start(command, home):
        process = subprocess.Popen(command, cwd=home, stdout=subprocess.PIPE)
        process.stdout.readline()
        made.append((process, threading.Thread(target=process.wait)))
        made[-1][1].start()
        return process

    yield start
    for process, waiting in made:
        process.kill()
        waiting.join()
        process.stdout.close()


@pytest.mark.parametrize(("command", "number"), [(WAITS, signal.SIGTERM), (DEAF, signal.SIGKILL)])
def test_it_is_asked_to_end_and_then_made_to(started, tmp_path, command, number):
    process = started(command, tmp_path)
    (tmp_path / PID_FILE).write_text(str(process.pid))
    end_orphan(tmp_path, 30 if number is signal.SIGTERM else 0.2)
    assert process.wait(10) == -number


def test_a_number_that_is_another_process_by_now_is_left_alone(started, tmp_path):
    if not os.path.exists("/proc/self"):  # noqa: PTH110 - a system's property
        pytest.skip("this system does not say where a process works")
    home = tmp_path / "home"
    home.mkdir()
    process = started(WAITS, tmp_path)
    (home / PID_FILE).write_text(str(process.pid))
    end_orphan(home, 0.2)
    assert process.poll() is None


@pytest.mark.parametrize("text", [None, "", "x", "999999999"])
def test_where_there_is_none_nothing_happens(tmp_path, text):
    if text is not None:
        (tmp_path / PID_FILE).write_text(text)
    end_orphan(tmp_path, 0.2)
