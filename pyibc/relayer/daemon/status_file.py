"""Status file of a daemon, by which commands find the daemon of a journal and the result of a reload.

It is a JSON file beside the journal, locked by the daemon while it runs, so that a second daemon does not use
the journal. A file without a lock is ignored: another process with the same number is not the daemon.
"""

import sys
import time
from contextlib import ExitStack, suppress
from io import FileIO
from pathlib import Path
from typing import Annotated, BinaryIO

import msgspec

from pyibc.relayer.daemon.supervisor import Changes, log
from pyibc.relayer.errors import DaemonRunning

if sys.platform != "win32":
    import fcntl

SUFFIX = ".daemon"
MAX_BYTES = 1 << 20
TRIES, TRY_S = 20, 0.05
"""Attempts to lock or read the file, and seconds between them; readers hold the lock for a moment."""


class DaemonStatus(msgspec.Struct, frozen=True):
    """Content of the status file."""

    pid: Annotated[int, msgspec.Meta(gt=0)]
    where: str  # PID namespace, if the system has such
    reloads: int = 0  # number of reloads of the configuration, also refused ones
    reason: str = ""  # why the last reload was refused
    ended: tuple[str, ...] = ()  # paths that the last reload ended
    started: tuple[str, ...] = ()


class StatusFile:
    """Status file of the running daemon, and its lock of the journal. Other errors are only logged."""

    def __init__(self, journal: Path, pid: int) -> None:
        """Lock the file, and write it.

        Raises:
            DaemonRunning: another daemon has the journal.
        """
        self._status = DaemonStatus(pid, namespace())
        self._file: FileIO | None = None
        try:
            self._file = lock_file(_file_of(journal), str(journal))
        except OSError as error:
            log.warning("no reload by command", extra={"reason": str(error)})
        self._write()

    def reloaded(self, changes: Changes) -> None:
        """Record a reload."""
        self._update("", tuple(changes.ended), tuple(changes.started))

    def refused(self, reason: str) -> None:
        """Record a refused reload."""
        self._update(reason, (), ())

    def close(self) -> None:
        """Release the lock."""
        if self._file is not None:
            self._file.close()

    def _update(self, reason: str, ended: tuple[str, ...], started: tuple[str, ...]) -> None:
        before = self._status
        self._status = DaemonStatus(before.pid, before.where, before.reloads + 1, reason, ended, started)
        self._write()

    def _write(self) -> None:
        if self._file is None:
            return
        try:
            write_status(self._file, self._status)
        except OSError as error:
            log.warning("no reload by command", extra={"reason": str(error)})


def read_status(journal: Path) -> DaemonStatus | None:
    """Return the status of a journal's daemon; None: it does not run, or its file is malformed.

    Raises:
        OSError: the file cannot be read.
    """
    for _ in range(TRIES):
        with suppress(FileNotFoundError, msgspec.DecodeError), _file_of(journal).open("rb") as file:
            if _locks(file, shared=True):
                return None  # no daemon has the lock
            return msgspec.json.decode(file.read(MAX_BYTES), type=DaemonStatus)
        time.sleep(TRY_S)
    return None


def namespace() -> str:
    """Return the PID namespace of this process; "" if the system has none."""
    try:
        return str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        return ""


def _file_of(journal: Path) -> Path:
    return journal.with_name(journal.name + SUFFIX)


def lock_file(path: Path, what: str) -> FileIO:
    """Lock a file, which is made if necessary, until it is closed or the process ends.

    Raises:
        DaemonRunning: another process has `what`, and so the lock.
        OSError: the file cannot be locked.
    """
    path.touch(mode=0o600)  # a process that can open the file could lock it
    file = path.open("a+b", buffering=0)  # unbuffered: closing does not retry a write that failed
    with ExitStack() as stack:
        stack.callback(file.close)
        for _ in range(TRIES):
            # guard: a-second-daemon-is-let-in always test_a_second_daemon_of_a_journal_is_refused
            if _locks(file, shared=False):
                stack.pop_all()
                return file
            time.sleep(TRY_S)
        file.seek(0)
        raise DaemonRunning(what, _holder(file.read(MAX_BYTES)))


def write_status(file: FileIO, status: DaemonStatus) -> None:
    """Replace the content of a locked file. Raises OSError."""
    file.truncate(0)
    file.write(msgspec.json.encode(status))


def _holder(content: bytes) -> str:
    try:
        found = msgspec.json.decode(content, type=DaemonStatus)
    except msgspec.DecodeError:
        return "another process"
    elsewhere = "" if found.where == namespace() else " of another container"
    return f"process {found.pid}{elsewhere}"


def _locks(file: BinaryIO | FileIO, *, shared: bool) -> bool:
    if sys.platform == "win32":
        return True
    try:
        fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
