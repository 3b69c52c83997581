"""A lock for one owner of the database: with two, their caches would differ from the disk."""

import sys
from contextlib import suppress
from pathlib import Path

from iavl.errors import StorageBusy

if sys.platform != "win32":
    import fcntl


class LockFile:
    """Holds a file's lock from creation to `release`; the system releases it when a process is killed."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("ab")
        if sys.platform == "win32":
            return  # LMDB still lets in one writer at a time, but nothing refuses a second owner
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._file.close()
            raise StorageBusy(str(path.parent)) from error

    def release(self) -> None:
        """Releases the lock; once is enough."""
        with suppress(ValueError):
            self._file.close()
