"""Who owns a home: asked at any moment of a start, without being in its way."""

import fcntl
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor, wait
from threading import Event

import pytest

import localnet.process.startup
from localnet.errors import AlreadyRunning
from localnet.process.startup import LOCK_FILE, HomeLock, owner_pid


@pytest.fixture
def threads():
    with ThreadPoolExecutor(2) as pool:
        yield pool


class Paused:
    """Holds a thread after its lock of this kind on a file, until `go`."""

    def __init__(self, monkeypatch, kind):
        self.reached, self.go = Event(), Event()
        flock = fcntl.flock

        def locked(file, operation):
            flock(file, operation)
            if operation == kind | fcntl.LOCK_NB and not self.go.is_set():
                self.reached.set()
                assert self.go.wait(30)

        monkeypatch.setattr(localnet.process.startup.fcntl, "flock", locked)


def test_h107_who_asks_for_the_owner_stands_in_no_start_s_way(tmp_path, threads, monkeypatch):
    HomeLock(tmp_path).release()
    paused = Paused(monkeypatch, fcntl.LOCK_SH)
    asking = threads.submit(owner_pid, tmp_path)
    assert paused.reached.wait(30)
    starting = threads.submit(HomeLock, tmp_path)  # while somebody looks
    wait([starting], 0.3)
    assert not starting.done()
    paused.go.set()
    lock = starting.result(30)
    assert asking.result(30) is None
    assert owner_pid(tmp_path) == os.getpid()
    lock.release()
    assert owner_pid(tmp_path) is None


def test_h107_an_owner_that_just_starts_is_an_owner(tmp_path, threads, monkeypatch):
    (tmp_path / LOCK_FILE).write_text("")
    paused = Paused(monkeypatch, fcntl.LOCK_EX)
    starting = threads.submit(HomeLock, tmp_path)
    assert paused.reached.wait(30)  # it has the lock, and has not written who it is
    asking = threads.submit(owner_pid, tmp_path)
    wait([asking], 0.3)  # for nothing: it stands at the door
    assert not asking.done()
    paused.go.set()
    lock = starting.result(30)
    assert asking.result(30) == os.getpid()
    with pytest.raises(AlreadyRunning):
        HomeLock(tmp_path)
    lock.release()


ASKING = """
import sys
from pathlib import Path
from localnet.process.startup import owner_pid
print("asks", flush=True)
while sys.stdin.readline():
    for _ in range(50):
        owner_pid(Path(sys.argv[1]))
    print("asked", flush=True)
"""


def test_h107_starts_while_another_process_asks(tmp_path):
    command = [sys.executable, "-c", ASKING, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "asks\n"
        for _ in range(20):
            other.stdin.write("\n")
            other.stdin.flush()
            for _ in range(20):
                HomeLock(tmp_path).release()
            assert other.stdout.readline() == "asked\n"
        other.stdin.close()


def test_a_home_that_is_not_there_has_no_owner(tmp_path):
    assert owner_pid(tmp_path / "absent") is None
    with pytest.raises(FileNotFoundError):
        HomeLock(tmp_path / "absent")
