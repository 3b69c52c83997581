"""Locks a node's home directory for as long as its process runs, however it ends."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from localnet.errors import AlreadyRunning

LOCK_FILE = "node.lock"


class HomeLock:
    """The lock of one home directory; the file contains the owner's process id."""

    def __init__(self, home: Path) -> None:
        """Takes the lock.

        Raises:
            AlreadyRunning: another process holds it.
            OSError: the home is not there, or not writable.
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
        """Releases the lock."""
        self._file.close()


@contextmanager
def _door(home: Path) -> Iterator[None]:
    """Lets one process at a time take the lock, or look whether it is taken; others wait for that moment.

    Who looks has to take the lock for an instant: without the door a node that starts just then would find
    its home in use, and who looks while a node starts would find a taken lock without a process id.
    """
    folder = os.open(home, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


@contextmanager
def exclusive(root: Path) -> Iterator[None]:
    """Lets one process at a time create networks below `root` and start chains; others block.

    Raises:
        OSError: the folder is not writable.
    """
    root.mkdir(parents=True, exist_ok=True)
    with (root / ".lock").open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def owner_pid(home: Path) -> int | None:
    """Process id of the node running at `home`, or None."""
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
