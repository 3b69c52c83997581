"""What the machine refuses: each refusal has its class, and none leaves the folder in use."""

import errno
import os
import resource
import signal

import lmdb
import pytest

from iavl import (
    AccessDenied,
    CorruptDatabase,
    DiskFull,
    MapFull,
    MultiStore,
    OutOfMemory,
    ReadersFull,
    StorageBusy,
    StorageError,
    StorageFailed,
    StoreClosed,
    UnsupportedFormat,
)
from iavl.disk.database import environment
from iavl.disk.database.settings import storage_error


def grow(store, blocks):
    for _ in range(blocks):
        version = store.next_version
        store.apply({"ibc": [(b"%03d" % n, b"%d" % version) for n in range(20)]})
        store.commit()


def is_free(path):
    """Whether nobody has the folder."""
    try:
        environment.LockFile(path).release()
    except StorageBusy:
        return False
    return True


def in_child(work):
    """The result of `work` in a child process, whose limits end with it: a class and its text."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        try:
            try:
                said = f"returned {work()}"
            except BaseException as error:
                said = f"{type(error).__name__} {isinstance(error, StorageFailed)} {error}"
            os.write(writer, said.encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        said = pipe.read()
    assert os.waitpid(child, 0)[1] == 0
    return said


def test_h103_a_full_disk_is_called_one(tmp_path, quick):
    def work():
        store = MultiStore(tmp_path / "db", ["ibc"], disk=quick())
        grow(store, 3)
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        size = (store._storage._env._env.info()["last_pgno"] + 1) * 4096  # behind it the file is a hole
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        store.apply({"ibc": [(b"big", bytes(1 << 22))]})
        store.commit()

    assert in_child(work).startswith("DiskFull True ")
    store = MultiStore(tmp_path / "db", ["ibc"], disk=quick())
    assert store.version == 3
    store.close()


def test_h103_a_limit_of_memory_at_opening_is_called_one(tmp_path, quick):
    store = MultiStore(tmp_path / "db", ["ibc"], disk=quick())
    grow(store, 3)
    store.close()

    def work():
        resource.setrlimit(resource.RLIMIT_AS, (1 << 34, 1 << 34))
        MultiStore(tmp_path / "db", ["ibc"], disk=quick(map_size=1 << 40))

    assert in_child(work).startswith("OutOfMemory True ")


def test_h103_a_map_that_is_full_is_no_full_disk(tmp_path, quick):
    store = MultiStore(tmp_path / "db", ["ibc"], disk=quick(map_size=1 << 20))
    grow(store, 3)
    store.apply({"ibc": [(b"big", bytes(1 << 21))]})
    with pytest.raises(MapFull) as caught:
        store.commit()
    assert isinstance(caught.value, StorageFailed)
    assert caught.value.path == str(tmp_path / "db")
    with pytest.raises(StoreClosed):
        store.commit()
    again = MultiStore(tmp_path / "db", ["ibc"], disk=quick(map_size=1 << 24))
    assert again.version == 3
    again.close()


def test_h103_a_full_table_of_readers_is_called_one_and_passes(tmp_path, quick):
    store = MultiStore(tmp_path / "db", ["ibc"], disk=quick(checkpoint_blocks=10))
    grow(store, 25)
    begin = store._storage._env._env.begin
    taken = [begin() for _ in range(store._storage._env._env.info()["max_readers"] - 1)]
    with pytest.raises(lmdb.ReadersFullError):
        begin()
    with pytest.raises(ReadersFull):
        store.get_at("ibc", b"001", 13)
    taken.clear()
    assert store.get_at("ibc", b"001", 13) == b"13"
    grow(store, 1)
    store.close()


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (OSError(errno.ENOSPC, "x"), DiskFull),
        (OSError(errno.EDQUOT, "x"), DiskFull),
        (PermissionError(errno.EACCES, "x"), AccessDenied),
        (OSError(errno.EROFS, "x"), AccessDenied),
        (OSError(errno.ENOMEM, "x"), OutOfMemory),
        (OSError(errno.EIO, "x"), StorageFailed),
        (MemoryError(), OutOfMemory),
        (lmdb.MapFullError("x"), MapFull),
        (lmdb.ReadersFullError("x"), ReadersFull),
        (lmdb.VersionMismatchError("x"), UnsupportedFormat),
        (lmdb.CorruptedError("x"), CorruptDatabase),
        (lmdb.PageNotFoundError("x"), CorruptDatabase),
        (lmdb.InvalidError("x"), CorruptDatabase),
        (lmdb.Error("x"), StorageFailed),
    ],
)
def test_h103_every_refusal_has_its_class(error, kind):
    told = storage_error("/db", error)
    assert type(told) is kind
    assert told.path == "/db"
    assert isinstance(told, CorruptDatabase) == (kind is CorruptDatabase)


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (lmdb.MapFullError("full"), MapFull),
        (MemoryError(), OutOfMemory),
        (OSError(errno.ENOSPC, "no space"), DiskFull),
        (RuntimeError("a bug"), RuntimeError),
    ],
)
@pytest.mark.parametrize("point", ["begun", "slice", "written", "stored"])
def test_h103_a_close_that_fails_leaves_the_folder_free(tmp_path, quick, fault, kind, point):
    def probe(name):
        if armed and name == point:
            raise fault

    armed = False
    store = MultiStore(tmp_path / "db", ["ibc"], disk=quick(checkpoint_on_close=True, probe=probe))
    grow(store, 2)
    app_hash, armed = store.app_hash, True
    with pytest.raises(kind):
        store.close()
    armed = False
    assert is_free(tmp_path / "db")
    again = MultiStore(tmp_path / "db", ["ibc"], disk=quick())
    assert (again.version, again.app_hash) == (2, app_hash)
    again.close()


def test_h103_an_lmdb_that_cannot_close_leaves_the_folder_free(tmp_path, quick):
    class Stuck:
        def __init__(self, env):
            self._env = env

        def close(self):
            self._env.close()
            raise lmdb.Error("stuck")

    store = MultiStore(tmp_path / "db", ["ibc"], disk=quick())
    env = store._storage._env
    env._env = Stuck(env._env)
    with pytest.raises(StorageFailed):
        store.close()
    assert is_free(tmp_path / "db")
    store.close()
    MultiStore(tmp_path / "db", ["ibc"], disk=quick()).close()


@pytest.mark.parametrize("fault", [MemoryError(), OverflowError("a negative map"), KeyboardInterrupt()])
def test_h103_an_opening_that_fails_leaves_the_folder_free(tmp_path, quick, monkeypatch, fault):
    def refuse(*_, **__):
        raise fault

    with monkeypatch.context() as patch:
        patch.setattr(lmdb, "open", refuse)
        with pytest.raises(OutOfMemory if isinstance(fault, MemoryError) else type(fault)):
            MultiStore(tmp_path / "db", ["ibc"], disk=quick())
    assert is_free(tmp_path / "db")
    MultiStore(tmp_path / "db", ["ibc"], disk=quick()).close()


def test_h103_a_file_system_without_locks_is_not_called_in_use(tmp_path, quick, monkeypatch):
    def refuse(*_):
        raise OSError(errno.ENOLCK, "no locks")

    with monkeypatch.context() as patch:
        patch.setattr(environment.fcntl, "flock", refuse)
        with pytest.raises(StorageError) as caught:
            MultiStore(tmp_path / "db", ["ibc"], disk=quick())
    assert type(caught.value) is StorageFailed
    store = MultiStore(tmp_path / "db", ["ibc"], disk=quick())
    with pytest.raises(StorageBusy):
        MultiStore(tmp_path / "db", ["ibc"], disk=quick())
    store.close()
