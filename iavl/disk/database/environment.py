"""The LMDB environment: one process, one writer, one long-lived reader, and one concurrent reader."""

import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock
from typing import Any, NoReturn

import lmdb

from iavl.disk.database import data_file
from iavl.disk.database.settings import DiskOptions, as_storage_errors
from iavl.disk.nodes import Reading
from iavl.errors import CorruptDatabase, StorageBusy, StoreClosed

# -- exclusive ownership of a folder

if sys.platform != "win32":
    import fcntl

NAME = "owner.lock"


class LockFile:
    """Lock on a folder from creation to `release`; the system releases it when the process ends.

    Raises, when created:
        StorageBusy: another owner holds the lock.
        OSError: the file cannot be created, or the file system does not support locks.
    """

    def __init__(self, folder: Path) -> None:
        self._file = (folder / NAME).open("ab")
        if sys.platform == "win32":
            return  # LMDB still allows only one writer at a time, but a second owner is not refused
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            self._file.close()
            raise StorageBusy(str(folder)) from error
        except BaseException:
            self._file.close()
            raise

    def release(self) -> None:
        """Release the lock; further calls have no effect."""
        with suppress(ValueError):
            self._file.close()


# -- the environment

Transaction = Any  # lmdb ships no types
_DATABASES = (b"log", b"nodes", b"points", b"orphans", b"meta")
_NEW = "new"


class Nodes:
    """Source of node records (`iavl.disk.nodes.Source`) that follows the environment's read transaction."""

    __slots__ = ("get",)

    def __init__(self, get: Reading) -> None:
        self.get = get


class Environment:
    """The open database; its transactions raise this package's errors.

    Args:
        path: Folder of the database, created if absent.
        options: Options of the database.
        settings: Records of `meta` in a new database, which is created atomically.

    Raises, when created:
        StorageBusy, CorruptDatabase, UnsupportedFormat, StorageFailed: the database cannot be opened.
    """

    def __init__(self, path: Path, options: DiskOptions, settings: Mapping[bytes, bytes]) -> None:
        self.path = str(path)
        self.probe = options.probe
        self._file = path / data_file.NAME
        self.current_nodes = Nodes(self._closed)
        """Node records as of the last commit; reading them requires the store's lock."""
        self.concurrent = ConcurrentReader(self)
        self._env: Any = None
        with as_storage_errors(self.path):
            path.mkdir(parents=True, exist_ok=True)
            self._lock = LockFile(path)
        with self._closing_on_failure():
            if not data_file.exists(path):
                _found(path, options, settings)
            data_file.check(path, options.map_size)
            self._env = _open(path, options)
            self._env.reader_check()  # slots of killed processes
            self.log, self.nodes, self.points, self.orphans, self.meta = (
                self._env.open_db(name, create=False) for name in _DATABASES
            )
            self._page_size: int = self._env.stat()["psize"]
            self._lengthen()
            self._renew()

    @contextmanager
    def _closing_on_failure(self) -> Iterator[None]:
        try:
            with as_storage_errors(self.path):
                yield
        except BaseException:
            self.close()
            raise

    def _renew(self) -> None:
        self._reader = self._env.begin(db=self.nodes)
        self.current_nodes.get = self._reader.get

    @contextmanager
    def writing(self) -> Iterator[Transaction]:
        """Run a write transaction, which is committed at the end of the `with` block, or not at all.

        Any failure closes the environment, since memory is then ahead of the disk.

        Raises:
            StorageFailed, CorruptDatabase: LMDB failed, or found inconsistent pages.
            StoreClosed: the environment is closed.
        """
        self.check_open()
        self._reader.abort()  # an old snapshot would keep LMDB from reusing freed pages
        with self._closing_on_failure():
            with self._env.begin(write=True) as txn:
                self.probe("begun")
                yield txn
                self.probe("written")
            self.probe("stored")
            self._lengthen()
            self._renew()

    def _lengthen(self) -> None:
        """Keep the file longer than its pages: LMDB does not write free pages at the end.

        The space after the last page is sparse. A damaged length in one of LMDB's pages leads to zeros there,
        which match no hash; access beyond the end of the file would kill the process.
        """
        info = self._env.info()
        needed = (info["last_pgno"] + 1) * self._page_size
        if self._file.stat().st_size < needed + data_file.HOLE // 2:
            data_file.lengthen(self._file, max(needed, min(needed + data_file.HOLE, info["map_size"])))

    def append_nodes(self, txn: Transaction, records: list[tuple[bytes, bytes]]) -> None:
        """Write records of nodes after all others; raise CorruptDatabase if a serial is used twice."""
        with txn.cursor(db=self.nodes) as cursor:
            _, added = cursor.putmulti(records, append=True)
        if added != len(records):  # LMDB does not raise if a key exists already
            raise CorruptDatabase(self.path, "a serial is used twice")

    def begin(self) -> Transaction:
        """Begin a read transaction whose default database is that of the nodes.

        Raises:
            StoreClosed, StorageFailed: the environment is closed, or LMDB failed.
        """
        self.check_open()
        with as_storage_errors(self.path):
            return self._env.begin(db=self.nodes)

    def read(self, database: object, key: bytes) -> bytes | None:
        """Read a record as of the last commit.

        Raises:
            CorruptDatabase, StorageFailed: LMDB cannot read its file.
            StoreClosed: the environment is closed.
        """
        self.check_open()
        with as_storage_errors(self.path):
            found: bytes | None = self._reader.get(key, db=database)
        return found

    def keys(self, database: object) -> list[bytes]:
        """Return the keys of a small database; raises as `read` does."""
        self.check_open()
        with as_storage_errors(self.path), self._reader.cursor(db=database) as cursor:
            return list(cursor.iternext(keys=True, values=False))

    def ends(self, database: object) -> tuple[bytes, bytes, int] | None:
        """Return first key, last key and number of entries, None if empty; raises as `read` does."""
        self.check_open()
        with as_storage_errors(self.path), self._reader.cursor(db=database) as cursor:
            if not cursor.first():
                return None
            first = bytes(cursor.key())
            cursor.last()
            return first, bytes(cursor.key()), self._reader.stat(db=database)["entries"]

    def is_open(self) -> bool:
        """Return whether the environment is open."""
        return self._env is not None

    def check_open(self) -> None:
        """Raise StoreClosed if the environment is closed."""
        if self._env is None:
            raise StoreClosed(self.path)

    def _closed(self, _key: bytes) -> NoReturn:
        raise StoreClosed(self.path)

    def close(self) -> None:
        """Wait for the concurrent reader and close the files; further calls have no effect."""
        with self.concurrent.lock:
            env, self._env = self._env, None
            self.current_nodes.get = self._closed
            try:
                with as_storage_errors(self.path):
                    if env is not None:
                        env.close()
            finally:
                self._lock.release()


class ConcurrentReader:
    """Reader for use without the store's lock, also while another thread writes.

    Each `with` block is one short transaction (an old one would keep LMDB from reusing freed pages) of one
    thread at a time. It is a source of node records as well.
    """

    def __init__(self, env: Environment) -> None:
        self.lock = RLock()
        self._env = env
        self._txn: Transaction = None
        self.get: Reading = env._closed  # noqa: SLF001 - two halves of one thing

    def __enter__(self) -> None:
        self.lock.acquire()
        try:
            self._txn = self._env.begin()
        except BaseException:
            self.lock.release()
            raise
        self.get = self._txn.get

    def __exit__(self, *_error: object) -> None:
        try:
            self._txn.abort()
        finally:
            self.lock.release()

    def read(self, database: object, key: bytes) -> bytes | None:
        """Read a record within the `with` block; raises as `Environment.read` does."""
        with as_storage_errors(self._env.path):
            found: bytes | None = self._txn.get(key, db=database)
        return found


def _open(path: Path, options: DiskOptions) -> Any:
    return lmdb.open(
        str(path),
        map_size=options.map_size,
        max_dbs=len(_DATABASES),
        sync=options.sync,
        metasync=options.metasync,
        writemap=options.writemap,
    )


def _found(path: Path, options: DiskOptions, settings: Mapping[bytes, bytes]) -> None:
    """Create the file in a temporary folder and move it into place, so that no partial file is left."""
    new = path / _NEW
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir()
    with _open(new, options) as env:
        databases = {name: env.open_db(name) for name in _DATABASES}
        with env.begin(write=True) as txn:
            for key, record in settings.items():
                txn.put(key, record, db=databases[b"meta"])
        if options.sync:
            env.sync(True)  # without metasync the page that names the settings is not on disk yet
    options.probe("founded")
    (new / data_file.NAME).replace(path / data_file.NAME)
    shutil.rmtree(new)
    if options.sync:
        data_file.sync_folder(path)
