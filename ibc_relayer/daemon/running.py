"""The file by which a command finds the daemon of a journal, and learns what became of a reload.

It stands beside the journal, is JSON, and is locked by the daemon as long as that lives: what one that was
killed has left says nothing, so that no other process is taken for it.
"""

import sys
import time
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import Annotated, BinaryIO

import msgspec

from ibc_relayer.daemon.supervisor import Changes, log

if sys.platform != "win32":
    import fcntl

SUFFIX = ".daemon"
MAX_BYTES = 1 << 20
TRIES, TRY_S = 20, 0.05
"""Who looks holds the lock for a moment, and who writes has written half for one."""


class Told(msgspec.Struct, frozen=True):
    """What a daemon says of itself."""

    pid: Annotated[int, msgspec.Meta(gt=0)]
    where: str  # the namespace of that number, where the system has such
    reloads: int = 0  # how often its configuration was read again, or was to be
    reason: str = ""  # why the last time nothing changed
    ended: tuple[str, ...] = ()  # paths that the last time ended
    started: tuple[str, ...] = ()


class Running:
    """The daemon's side. Where the file cannot be had or written that is logged, and nothing else changes."""

    def __init__(self, journal: Path, pid: int) -> None:
        """Takes the lock, if no other daemon has it."""
        self._told = Told(pid, namespace())
        self._file: FileIO | None = None
        try:
            self._file = _held(_file_of(journal))
        except OSError as error:
            log.warning("no reload by command", extra={"reason": str(error)})
        self._write()

    def reloaded(self, changes: Changes) -> None:
        """The configuration was read again, and followed."""
        self._tell("", tuple(changes.ended), tuple(changes.started))

    def refused(self, reason: str) -> None:
        """It was to be read again, and is wrong."""
        self._tell(reason, (), ())

    def close(self) -> None:
        """Lets go of the lock."""
        if self._file is not None:
            self._file.close()

    def _tell(self, reason: str, ended: tuple[str, ...], started: tuple[str, ...]) -> None:
        before = self._told
        self._told = Told(before.pid, before.where, before.reloads + 1, reason, ended, started)
        self._write()

    def _write(self) -> None:
        if self._file is None:
            return
        try:
            self._file.truncate(0)
            self._file.write(msgspec.json.encode(self._told))
        except OSError as error:
            log.warning("no reload by command", extra={"reason": str(error)})


def running(journal: Path) -> Told | None:
    """What the daemon of a journal says; None: there is none, or nothing that it says can be read.

    Raises:
        OSError: the file cannot be read.
    """
    for _ in range(TRIES):
        with suppress(FileNotFoundError, msgspec.DecodeError), _file_of(journal).open("rb") as file:
            if _locks(file, shared=True):
                return None  # nobody holds it
            return msgspec.json.decode(file.read(MAX_BYTES), type=Told)
        time.sleep(TRY_S)
    return None


def namespace() -> str:
    """In which numbers of processes mean what they do here; "" where the system does not tell."""
    try:
        return str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        return ""


def _file_of(journal: Path) -> Path:
    return journal.with_name(journal.name + SUFFIX)


def _held(path: Path) -> FileIO:
    path.touch(mode=0o600)  # whoever can open it could hold its lock
    file = path.open("a+b", buffering=0)  # what a full disk refused is not tried again when it is closed
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
