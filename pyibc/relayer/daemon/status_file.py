"""Status file of a daemon, by which commands find the daemon of a journal and the result of a reload.

It is a JSON file beside the journal, locked by the daemon while it runs. A file without a lock is ignored, so
that another process with the same number is not mistaken for the daemon.
"""

import sys
import time
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import Annotated, BinaryIO

import msgspec

from pyibc.relayer.daemon.supervisor import Changes, log

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
    """Status file of the running daemon. Errors of the file are only logged."""

    def __init__(self, journal: Path, pid: int) -> None:
        """Lock the file, unless another daemon has it, and write it."""
        self._status = DaemonStatus(pid, namespace())
        self._file: FileIO | None = None
        try:
            self._file = _held(_file_of(journal))
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
            self._file.truncate(0)
            self._file.write(msgspec.json.encode(self._status))
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


def _held(path: Path) -> FileIO:
    path.touch(mode=0o600)  # a process that can open the file could lock it
    file = path.open("a+b", buffering=0)  # unbuffered: closing does not retry a write that failed
    for _ in range(TRIES):
        if _locks(file, shared=False):
            return file
        time.sleep(TRY_S)
    file.close()
    raise BlockingIOError(f"another daemon has {path}")


def _locks(file: BinaryIO | FileIO, *, shared: bool) -> bool:
    if sys.platform == "win32":
        return True
    try:
        fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
