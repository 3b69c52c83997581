"""Lock on a node's home directory, held until its process ends in any way."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from localnet.errors import AlreadyRunning

LOCK_FILE = "node.lock"


class HomeLock:
    """Lock on one home directory; the file contains the owner's process id."""

    def __init__(self, home: Path) -> None:
        """Acquire the lock.

        Raises:
            AlreadyRunning: another process holds the lock.
            OSError: the home does not exist, or is not writable.
        """
        with _door(home):
            self._file: IO[bytes] = (home / LOCK_FILE).open("ab+")
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                self._file.truncate(0)
                self._file.write(str(os.getpid()).encode())
                self._file.flush()
            except BlockingIOError:
                self._file.close()
                raise AlreadyRunning(str(home)) from None
            except BaseException:
                self._file.close()
                raise

    def release(self) -> None:
        """Release the lock."""
        self._file.close()


@contextmanager
def _door(home: Path) -> Iterator[None]:
    """Serialize acquiring the lock and querying its owner.

    A query has to acquire the lock for a moment: without this mutex a node that starts at that moment would
    find its home in use, and a query during a start could find the lock held but no process id in it.
    """
    folder = os.open(home, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


@contextmanager
def exclusive(root: Path) -> Iterator[None]:
    """Let one process at a time create networks below `root` and start chains; others block.

    Raises:
        OSError: the folder is not writable.
    """
    root.mkdir(parents=True, exist_ok=True)
    with (root / ".lock").open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def owner_pid(home: Path) -> int | None:
    """Return the process id of the node running at `home`, or None."""
    try:
        # guard: h107-who-looks-does-not-wait-at-the-door drop:_door
        #   test_h107_who_asks_for_the_owner_stands_in_no_start_s_way
        #   test_h107_an_owner_that_just_starts_is_an_owner
        with _door(home), (home / LOCK_FILE).open("rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                text = file.read()
                return int(text) if text.isdigit() else None
    except FileNotFoundError:
        return None
    return None
