"""Locks of keys: two daemons with one account on one chain would spend each other's sequences."""

import os
import stat
import tempfile
from collections.abc import Collection
from hashlib import sha256
from io import FileIO
from pathlib import Path

from pyibc.relayer.daemon.status_file import DaemonStatus, lock_file, namespace, write_status
from pyibc.relayer.daemon.supervisor import log

KeyName = tuple[str, bytes]
"""Chain id and address."""


class KeyLocks:
    """Locked files of a daemon's keys, in a folder that all daemons of this user and machine share.

    A process that has ended, however it ended, has no locks. Without such a folder, keys are not locked.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """Lock nothing yet."""
        self.folder = folder
        """Folder of the locks; None: that of the user."""
        self._files: dict[KeyName, FileIO | None] = {}

    def take(self, name: KeyName, what: str) -> None:
        """Lock a key, unless it is locked by this object; `what` is its name for people.

        Raises:
            DaemonRunning: another daemon has it.
        """
        if name not in self._files:
            try:
                self._files[name] = self._locked(name, what)
            except OSError as error:
                log.warning("key not locked", extra={"key": what, "reason": str(error)})
                self._files[name] = None

    def keep(self, names: Collection[KeyName]) -> None:
        """Release all other keys."""
        for name in self._files.keys() - names:
            file = self._files.pop(name)
            if file is not None:
                file.close()

    def _locked(self, name: KeyName, what: str) -> FileIO:
        folder = _folder_of_user() if self.folder is None else self.folder
        chain_id, address = name
        digest = sha256(b"%d:%s%s" % (len(chain_id), chain_id.encode(), address)).hexdigest()
        file = lock_file(folder / f"{digest}.lock", what)
        try:
            write_status(file, DaemonStatus(os.getpid(), namespace()))
        except OSError as error:  # a full disk: the lock holds all the same
            log.warning("key locked without a name", extra={"key": what, "reason": str(error)})
        return file


def _folder_of_user() -> Path:
    """Return the folder of this user's locks, made if necessary.

    Raises:
        OSError: it cannot be made, or belongs to somebody else, who could keep us from starting.
    """
    shared = Path("/run/lock")
    parent = shared if os.access(shared, os.W_OK | os.X_OK) else Path(tempfile.gettempdir())
    folder = parent / f"pyibc-relayer-{os.geteuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    # guard: locks-in-a-strangers-folder
    #   test_a_folder_of_somebody_else_is_not_used
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o022:
        raise PermissionError(f"{folder} is not this user's own folder")
    return folder
