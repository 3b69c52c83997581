"""The LMDB environment: one process, one writer, one long-lived reader, and a reader beside it."""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import Any, NoReturn

import lmdb

from iavl.disk import data_file
from iavl.disk.failures import MACHINE, storage_error
from iavl.disk.lock_file import LockFile
from iavl.disk.nodes import Reading
from iavl.disk.options import DiskOptions
from iavl.errors import StoreClosed

Transaction = Any  # lmdb ships no types
_DATABASES = (b"log", b"nodes", b"points", b"orphans", b"meta")
_NEW = "new"


class Nodes:
    """A source of node records (`iavl.disk.nodes.Source`), which moves on with its transaction."""

    __slots__ = ("get",)

    def __init__(self, get: Reading) -> None:
        self.get = get


class Environment:
    """Opens and closes the database, and gives transactions that raise this package's errors.

    Args:
        path: The folder, made if absent.
        options: How to open it.
        settings: Records of `meta` that a new database begins with. It comes into being whole, or not.

    Raises, when made:
        StorageBusy, CorruptDatabase, UnsupportedFormat, StorageFailed: as their names say.
    """

    def __init__(self, path: Path, options: DiskOptions, settings: Mapping[bytes, bytes]) -> None:
        self.path = str(path)
        self.probe = options.probe
        self._file = path / data_file.NAME
        self.nodes_now = Nodes(self._closed)
        """Node records as of the last commit; for whoever holds the store's lock."""
        self.beside = Beside(self)
        self._env: Any = None
        try:
            path.mkdir(parents=True, exist_ok=True)
            self._lock = LockFile(path)
        except MACHINE as error:
            raise storage_error(self.path, error) from error
        try:
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
        except MACHINE as error:
            self.close()
            raise storage_error(self.path, error) from error
        except BaseException:
            self.close()
            raise

    def _renew(self) -> None:
        self._reader = self._env.begin(db=self.nodes)
        self.nodes_now.get = self._reader.get

    @contextmanager
    def writing(self) -> Iterator[Transaction]:
        """A write transaction: stored as a whole when the `with` block ends, or not at all.

        Any failure closes the environment, since memory is then ahead of the disk.

        Raises:
            StorageFailed, CorruptDatabase: LMDB refused, or found pages that contradict each other.
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
            self._lengthen()
            self._renew()
        except MACHINE as error:
            self.close()
            raise storage_error(self.path, error) from error
        except BaseException:
            self.close()
            raise

    def _lengthen(self) -> None:
        """Keeps the file longer than its pages: LMDB leaves out those at the end that are free.

        What lies behind the last page is a hole, which takes no room. A damaged length in one of LMDB's pages
        leads there, to zeros that no hash fits; behind the end of its file a map kills the process.
        """
        info = self._env.info()
        needed = (info["last_pgno"] + 1) * self._page_size
        if self._file.stat().st_size < needed + data_file.HOLE // 2:
            data_file.lengthen(self._file, max(needed, min(needed + data_file.HOLE, info["map_size"])))

    def begin(self) -> Transaction:
        """A read transaction, whose own database is that of the nodes.

        Raises:
            StoreClosed, StorageFailed: as their names say.
        """
        self.check_open()
        try:
            return self._env.begin(db=self.nodes)
        except MACHINE as error:
            raise storage_error(self.path, error) from error

    def read(self, database: object, key: bytes) -> bytes | None:
        """A record as of the last commit.

        Raises:
            CorruptDatabase, StorageFailed: LMDB cannot read its file.
            StoreClosed: the environment is closed.
        """
        self.check_open()
        try:
            found: bytes | None = self._reader.get(key, db=database)
        except MACHINE as error:
            raise storage_error(self.path, error) from error
        return found

    def keys(self, database: object) -> list[bytes]:
        """The keys of a small database; raises as `read` does."""
        self.check_open()
        try:
            with self._reader.cursor(db=database) as cursor:
                return list(cursor.iternext(keys=True, values=False))
        except MACHINE as error:
            raise storage_error(self.path, error) from error

    def ends(self, database: object) -> tuple[bytes, bytes, int] | None:
        """First and last key of a database and how many there are, None for none; raises as `read` does."""
        self.check_open()
        try:
            with self._reader.cursor(db=database) as cursor:
                if not cursor.first():
                    return None
                first = bytes(cursor.key())
                cursor.last()
                return first, bytes(cursor.key()), self._reader.stat(db=database)["entries"]
        except MACHINE as error:
            raise storage_error(self.path, error) from error

    def is_open(self) -> bool:
        """Whether it is still open."""
        return self._env is not None

    def check_open(self) -> None:
        """Raises StoreClosed once closed."""
        if self._env is None:
            raise StoreClosed(self.path)

    def _closed(self, _key: bytes) -> NoReturn:
        raise StoreClosed(self.path)

    def close(self) -> None:
        """Closes the files; calling it again has no effect. It waits for a reader beside to end its slice."""
        with self.beside.lock:
            env, self._env = self._env, None
            self.nodes_now.get = self._closed
            try:
                if env is not None:
                    env.close()
            except MACHINE as error:
                raise storage_error(self.path, error) from error
            finally:
                self._lock.release()


class Beside:
    """Reads while another thread has the store's lock and may even be writing.

    A `with` block is one short transaction (an old one would keep LMDB from using freed pages again), by
    one thread at a time. It is a source of node records as well.
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

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._txn.abort()
        finally:
            self.lock.release()

    def read(self, database: object, key: bytes) -> bytes | None:
        """A record, within the `with` block; raises as `Environment.read` does."""
        try:
            found: bytes | None = self._txn.get(key, db=database)
        except MACHINE as error:
            raise storage_error(self._env.path, error) from error
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
    """Makes the file elsewhere and moves it in when it is whole: a kill leaves none, not half of one."""
    new = path / _NEW
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir()
    with _open(new, options) as env:
        databases = {name: env.open_db(name) for name in _DATABASES}
        with env.begin(write=True) as txn:
            for key, record in settings.items():
                txn.put(key, record, db=databases[b"meta"])
        if options.sync:
            env.sync(True)  # without metasync the page that names the settings is not on the disk yet
    options.probe("founded")
    (new / data_file.NAME).replace(path / data_file.NAME)
    shutil.rmtree(new)
    if options.sync:
        data_file.sync_folder(path)
