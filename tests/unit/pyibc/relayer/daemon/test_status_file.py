"""Status file: process of a journal's daemon, and results of reloads."""

import json
import os
import subprocess
import sys
from io import FileIO

import pytest
from click.testing import CliRunner

from pyibc.cli.relay import reload
from pyibc.relayer.daemon import status_file as module
from pyibc.relayer.daemon.status_file import StatusFile, namespace, read_status
from pyibc.relayer.daemon.supervisor import Changes
from pyibc.relayer.errors import DaemonRunning

CONFIG = """
[[chains]]
id = "one-1"
rpc = ["http://127.0.0.1:1"]
key = { file = "key" }
[[chains]]
id = "two-2"
rpc = ["http://127.0.0.1:2"]
key = { file = "key" }
[[paths]]
a = "one-1"
b = "two-2"
channels = ["channel-0"]
"""


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(module, "TRY_S", 0.001)


@pytest.fixture
def journal(tmp_path):
    return tmp_path / "relayer.db"


def test_it_is_known_as_long_as_it_lives(journal):
    assert read_status(journal) is None
    daemon = StatusFile(journal, 77)
    found = read_status(journal)
    assert (found.pid, found.where, found.reloads) == (77, namespace(), 0)
    daemon.close()
    assert read_status(journal) is None  # though its file is there
    assert json.loads((journal.parent / "relayer.db.daemon").read_bytes())["pid"] == 77


def test_who_looks_does_not_keep_a_daemon_from_its_file(journal, monkeypatch):
    StatusFile(journal, 1).close()
    with (journal.parent / "relayer.db.daemon").open("rb") as looking:
        assert module._locks(looking, shared=True)
        assert read_status(journal) is None  # and two who look are no daemon to each other
        monkeypatch.setattr(module.time, "sleep", lambda _: looking.close())
        daemon = StatusFile(journal, 78)
    assert read_status(journal).pid == 78
    daemon.close()


def test_a_second_daemon_of_a_journal_is_refused(journal):
    first = StatusFile(journal, 77)
    with pytest.raises(DaemonRunning) as caught:
        StatusFile(journal, 78).close()
    assert (caught.value.what, caught.value.holder) == (str(journal), "process 77")
    assert read_status(journal).pid == 77
    first.close()
    StatusFile(journal, 78).close()


@pytest.mark.parametrize(
    ("content", "holder"),
    [(b"{", "another process"), (b'{"pid": 5, "where": "pid:[9]"}', "process 5 of another container")],
)
def test_who_has_the_journal_is_told_as_far_as_it_is_known(journal, content, holder):
    first = StatusFile(journal, 77)
    (journal.parent / "relayer.db.daemon").write_bytes(content)
    with pytest.raises(DaemonRunning) as caught:
        StatusFile(journal, 78)
    assert caught.value.holder == holder
    first.close()


def test_a_lock_that_a_killed_process_had_is_free(journal):
    code = "import sys; from pathlib import Path; from pyibc.relayer.daemon.status_file import StatusFile\n"
    code += "held = StatusFile(Path(sys.argv[1]), 9); print('held', flush=True); sys.stdin.read()"
    words = [sys.executable, "-c", code, str(journal)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"held\n"
        with pytest.raises(DaemonRunning):
            StatusFile(journal, 78)
        process.kill()
    StatusFile(journal, 78).close()


def test_a_folder_that_cannot_be_written_ends_nothing(tmp_path, caplog):
    daemon = StatusFile(tmp_path / "gone" / "relayer.db", 77)
    daemon.refused("nothing")
    daemon.close()
    assert [each.message for each in caplog.records] == ["no reload by command"]


def test_a_full_disk_is_told_and_ends_nothing(journal, caplog, monkeypatch):
    """Content that could not be written does not appear later, neither before nor after other content."""
    daemon, full = StatusFile(journal, 77), True

    class Disk:
        def __init__(self, file) -> None:
            self.truncate, self.close, self._file = file.truncate, file.close, file

        def write(self, raw):
            if full:
                raise OSError(28, "No space left on device")
            return self._file.write(raw)

    monkeypatch.setattr(daemon, "_file", Disk(daemon._file))
    daemon.refused("first")
    assert [each.reason for each in caplog.records] == ["[Errno 28] No space left on device"]
    full = False
    daemon.refused("second")
    assert (read_status(journal).reloads, read_status(journal).reason) == (2, "second")
    daemon.close()


def test_the_file_is_its_owner_s_alone(journal):
    daemon = StatusFile(journal, 77)
    assert (journal.parent / "relayer.db.daemon").stat().st_mode & 0o777 == 0o600
    assert isinstance(daemon._file, FileIO)  # nothing is kept for later
    daemon.close()


@pytest.mark.parametrize("text", [b"", b"{", b"7", b'{"pid": 0, "where": ""}', b'{"pid": -1, "where": ""}'])
def test_what_is_no_process_is_none(journal, text):
    daemon = StatusFile(journal, 77)
    (journal.parent / "relayer.db.daemon").write_bytes(text)
    assert read_status(journal) is None
    daemon.close()


def asked(monkeypatch, tmp_path, kill):
    monkeypatch.setattr(reload, "TIMEOUT_S", 0.05)
    monkeypatch.setattr(reload.os, "kill", kill)
    file = tmp_path / "relayer.toml"
    file.write_text(CONFIG)
    return CliRunner().invoke(reload.command, ["--config", str(file)])


def test_a_reload_says_what_came_of_it(monkeypatch, tmp_path, journal):
    daemon = StatusFile(journal, os.getpid())
    done = asked(monkeypatch, tmp_path, lambda *_: daemon.reloaded(Changes(["x"], ["y"])))
    assert (done.exit_code, done.output) == (0, "ended: x\nstarted: y\n")
    done = asked(monkeypatch, tmp_path, lambda *_: daemon.reloaded(Changes([], [])))
    assert (done.exit_code, done.output) == (0, "no path ended or started\n")
    done = asked(monkeypatch, tmp_path, lambda *_: daemon.refused("no such key"))
    assert (done.exit_code, done.output) == (2, "error: not reloaded: no such key\n")
    done = asked(monkeypatch, tmp_path, lambda *_: None)
    assert (done.exit_code, "has not answered within" in done.output) == (1, True)
    daemon.close()


def test_a_process_of_another_namespace_is_not_signalled(monkeypatch, tmp_path, journal):
    daemon = StatusFile(journal, 77)
    monkeypatch.setattr(reload, "namespace", lambda: "pid:[1]")
    done = asked(monkeypatch, tmp_path, lambda *_: pytest.fail("signalled"))
    assert (done.exit_code, "in another container" in done.output) == (1, True)
    daemon.close()
