"""One owner of a folder at a time."""

import sys
from contextlib import suppress
from pathlib import Path

from iavl.errors import StorageBusy

if sys.platform != "win32":
    import fcntl

NAME = "owner.lock"


class LockFile:
    """Holds a folder's lock from creation to `release`; the system releases it when a process is killed.

    Raises, when made:
        StorageBusy: another holds it.
        OSError: the file cannot be made, or the file system has no locks.
    """

    def __init__(self, folder: Path) -> None:
        self._file = (folder / NAME).open("ab")
        if sys.platform == "win32":
            return  # LMDB still lets in one writer at a time, but nothing refuses a second owner
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            self._file.close()
            raise StorageBusy(str(folder)) from error
        except BaseException:
            self._file.close()
            raise

    def release(self) -> None:
        """Releases the lock; once is enough."""
        with suppress(ValueError):
            self._file.close()
