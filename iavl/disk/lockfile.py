"""One owner for a database: the caches of two would part from the disk."""

import sys
from contextlib import suppress
from pathlib import Path

from iavl.errors import StorageBusy

if sys.platform != "win32":
    import fcntl


class LockFile:
    """Holds a file's lock from creation to `release`; a killed process loses it by itself."""

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
        """Lets others in; a second call does nothing."""
        with suppress(ValueError):
            self._file.close()
