"""Keys are locked by address and chain, for daemons of one user on one machine."""

import os

import pytest

from pyibc.relayer.config import source as module
from pyibc.relayer.config.source import KeyLocks
from pyibc.relayer.daemon import status_file
from pyibc.relayer.errors import DaemonRunning

KEY, OTHER = ("a-1", b"\x01" * 20), ("b-2", b"\x01" * 20)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(status_file, "TRY_S", 0.001)


@pytest.fixture
def locks():
    made = []

    def make(*folder):
        made.append(KeyLocks(*folder))
        return made[-1]

    yield make
    for each in made:
        each.keep(())


def test_a_key_has_one_daemon_until_it_is_released(locks, tmp_path):
    first, second = locks(tmp_path), locks(tmp_path)
    first.take(KEY, "cosmos1x of a-1")
    first.take(KEY, "cosmos1x of a-1")
    with pytest.raises(DaemonRunning) as caught:
        second.take(KEY, "cosmos1x of a-1")
    assert (caught.value.what, caught.value.holder) == ("cosmos1x of a-1", f"process {os.getpid()}")
    second.take(OTHER, "cosmos1x of b-2")  # on another chain it has other sequences
    first.keep(())
    second.take(KEY, "cosmos1x of a-1")
    with pytest.raises(DaemonRunning):
        first.take(OTHER, "cosmos1x of b-2")


def test_the_folder_is_the_user_s_own(locks, tmp_path, monkeypatch):
    monkeypatch.setattr(module.os, "access", lambda *_: False)
    monkeypatch.setattr(module.tempfile, "tempdir", str(tmp_path))
    locks().take(KEY, "x")
    (folder,) = tmp_path.iterdir()
    assert (folder.name, folder.stat().st_mode & 0o777) == (f"pyibc-relayer-{os.geteuid()}", 0o700)
    assert [each.stat().st_mode & 0o777 for each in folder.iterdir()] == [0o600]


def test_a_folder_of_somebody_else_is_not_used(locks, tmp_path, monkeypatch):
    """Who made it could hold its locks; the keys are used without any."""
    monkeypatch.setattr(module.os, "access", lambda *_: False)
    monkeypatch.setattr(module.tempfile, "tempdir", str(tmp_path))
    folder = tmp_path / f"pyibc-relayer-{os.geteuid()}"
    folder.mkdir()
    folder.chmod(0o777)
    warned = []
    monkeypatch.setattr(module.log, "warning", lambda event, extra: warned.append((event, extra["key"])))
    locks().take(KEY, "x")
    assert (warned, list(folder.iterdir())) == ([("key not locked", "x")], [])
