"""Lock of a folder of results against other runs."""

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pyibc.indexer.errors import IndexBusy

_NO_LOCKS = {errno.EBADF, errno.EINVAL, errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP}


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock a folder, if its file system supports locks on folders; NFS does not.

    The lock ends with the process.

    Raises:
        IndexBusy: another run has the lock.
    """
    opened = os.open(folder, os.O_RDONLY)
    try:
        # guard: h113-a-second-run-is-let-in drop
        #   test_h113_a_second_run_on_the_same_results_is_refused_and_changes_nothing
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(opened)
        raise IndexBusy(str(folder)) from None
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            os.close(opened)
            raise
    try:
        yield
    finally:
        os.close(opened)
