"""The LMDB environment: one process, one writer, one long-lived reader."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import lmdb

from iavl.disk.options import DiskOptions
from iavl.errors import CorruptDatabase, StorageBusy, StorageFailed, StoreClosed

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


Transaction = Any  # lmdb ships no types
_DATABASES = (b"log", b"nodes", b"points", b"orphans", b"meta")


class Environment:
    """Opens and closes the database, and gives transactions that raise this package's errors."""

    def __init__(self, path: Path, options: DiskOptions) -> None:
        self.path = str(path)
        self.probe = options.probe
        try:
            path.mkdir(parents=True, exist_ok=True)
            self._lock = LockFile(path / "owner.lock")
        except OSError as error:
            raise StorageFailed(self.path, str(error)) from error
        self._env: Any = None
        try:
            self._env = lmdb.open(
                self.path,
                map_size=options.map_size,
                max_dbs=len(_DATABASES),
                sync=options.sync,
                metasync=options.metasync,
                writemap=options.writemap,
            )
            self._env.reader_check()  # slots of killed processes
            self.log, self.nodes, self.points, self.orphans, self.meta = map(self._env.open_db, _DATABASES)
            self._reader = self._env.begin()
        except lmdb.Error as error:
            self.close()
            raise CorruptDatabase(self.path, str(error)) from error

    @contextmanager
    def writing(self) -> Iterator[Transaction]:
        """A write transaction: stored as a whole when the `with` block ends, or not at all.

        Any failure closes the environment, since memory is then ahead of the disk.

        Raises:
            StorageFailed: LMDB refused.
            StoreClosed: the environment is closed.
        """
        self.check_open()
        self._reader.abort()  # an old snapshot would keep LMDB from using freed pages again
        try:
            with self._env.begin(write=True) as txn:
                self.probe("begun")
                yield txn
                self.probe("written")
            self.probe("stored")
            self._reader = self._env.begin()
        except lmdb.Error as error:
            self.close()
            raise StorageFailed(self.path, str(error)) from error
        except BaseException:
            self.close()
            raise

    def read(self, database: object, key: bytes) -> bytes | None:
        """A record as of the last commit.

        Raises:
            CorruptDatabase: LMDB cannot read its file.
            StoreClosed: the environment is closed.
        """
        self.check_open()
        try:
            found: bytes | None = self._reader.get(key, db=database)
        except lmdb.Error as error:
            raise CorruptDatabase(self.path, str(error)) from error
        return found

    def keys(self, database: object) -> list[bytes]:
        """The keys of a small database."""
        self.check_open()
        with self._reader.cursor(db=database) as cursor:
            return list(cursor.iternext(keys=True, values=False))

    def last_key(self, database: object) -> bytes | None:
        """The greatest key of a database."""
        self.check_open()
        with self._reader.cursor(db=database) as cursor:
            return bytes(cursor.key()) if cursor.last() else None

    def is_open(self) -> bool:
        """Whether it is still open."""
        return self._env is not None

    def check_open(self) -> None:
        """Raises StoreClosed once closed."""
        if self._env is None:
            raise StoreClosed(self.path)

    def close(self) -> None:
        """Closes the files; calling it again has no effect."""
        if self._env is not None:
            self._env.close()
        self._env = None
        self._lock.release()
