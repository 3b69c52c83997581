"""Settings of the LMDB environment, and its failures as errors of this package."""

import errno
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import lmdb

from iavl.disk.blocks import version_key
from iavl.disk.database.data_file import SIZE, sealed, unsealed
from iavl.errors import (
    AccessDenied,
    CorruptDatabase,
    DiskFull,
    MapFull,
    OutOfMemory,
    ReadersFull,
    StorageError,
    StorageFailed,
    StoreMismatch,
    UnsupportedFormat,
)

DATABASE = "setting"
"""Name of `meta` in the seals of its records."""
_FORMAT, _INITIAL = b"format", b"initial version"
_PREFIX = b"iavl tree "
FORMAT = _PREFIX + b"2"
"""Format that this release reads and writes."""


def first_settings(initial_version: int) -> dict[bytes, bytes]:
    """Return the settings of a new database."""
    return {
        _FORMAT: sealed(DATABASE, _FORMAT, FORMAT),
        _INITIAL: sealed(DATABASE, _INITIAL, version_key(initial_version)),
    }


def check_settings(
    path: str, read: Callable[[bytes], bytes | None], initial_version: int | None = None
) -> None:
    """Check the settings of an existing database; `initial_version` None accepts any.

    Raises:
        CorruptDatabase: the database has another content.
        UnsupportedFormat: another release wrote it.
        StoreMismatch: it was created with another initial version.
    """
    form, initial = read(_FORMAT), read(_INITIAL)  # before format 2 nothing had a seal
    if form is not None and form.startswith(_PREFIX) and len(form) < SIZE:
        raise UnsupportedFormat(path, form.decode(errors="replace"), FORMAT.decode())
    found = unsealed(path, DATABASE, _FORMAT, form)
    if found != FORMAT:
        if not found.startswith(_PREFIX):
            raise CorruptDatabase(path, f"format {found!r}")
        raise UnsupportedFormat(path, found.decode(errors="replace"), FORMAT.decode())
    first = unsealed(path, DATABASE, _INITIAL, initial)
    if initial_version is not None and first != version_key(initial_version):
        raise StoreMismatch(path, f"created with an initial version other than {initial_version}")


# -- options of the database on disk


def no_probe(_point: str) -> None:
    """Do nothing: the default probe."""


@dataclass(frozen=True, slots=True)
class DiskOptions:
    """Options of the database. The defaults suit a chain; none of them affects a hash."""

    map_size: int = 1 << 38
    """Maximum size of the file in bytes. It grows as needed: a large limit costs address space only.
    If it is smaller than the file, opening fails (MapTooSmall); when it is reached, writes fail (MapFull)."""
    sync: bool = True
    """Commits wait for the disk. If False, a power loss may destroy the file: for tests only."""
    metasync: bool = False
    """Commits also wait for LMDB's meta page. If False, a power loss may undo the last commit only."""
    writemap: bool = False
    """Write through the memory map: less memory in a store of random keys. The file then shows its full
    map size, as a sparse file."""
    checkpoint_blocks: int = 50
    """Blocks from the start of one checkpoint to the next,"""
    checkpoint_writes: int = 10_000
    """or logged writes, whichever comes first. Both bound the time that opening takes."""
    slice_nodes: int = 2_000
    """Minimum number of checkpoint nodes written, and of orphans deleted, per block."""
    nodes_per_write: int = 10
    """The same, per write of the block: enough to finish a checkpoint before the next one is due."""
    checkpoint_on_close: bool = True
    """Closing writes a checkpoint, so that opening has no block to replay."""
    memory_versions: int = 20
    """Versions whose roots stay in memory; older ones are rebuilt from a checkpoint on request."""
    rebuild_wait_ms: int = 30_000
    """Milliseconds that a reader waits for its turn to rebuild a version (HistoryBusy)."""
    probe: Callable[[str], None] = no_probe
    """Callback with the name of each step on disk: tests kill the process there."""


SYSTEM_ERRORS = (lmdb.Error, OSError, MemoryError)
"""Exceptions that are converted; any other exception is a bug and propagates unchanged."""

_BY_NUMBER: dict[int, type[StorageFailed]] = {
    errno.ENOSPC: DiskFull,
    errno.EDQUOT: DiskFull,
    errno.EFBIG: DiskFull,
    errno.ENOMEM: OutOfMemory,
    errno.EACCES: AccessDenied,
    errno.EPERM: AccessDenied,
    errno.EROFS: AccessDenied,
}
_BY_CLASS: dict[type[Exception], type[StorageFailed]] = {
    lmdb.MapFullError: MapFull,
    lmdb.ReadersFullError: ReadersFull,
    lmdb.TlsFullError: ReadersFull,
}
_CORRUPTION = (
    lmdb.BadDbiError,
    lmdb.BadValsizeError,
    lmdb.CorruptedError,
    lmdb.CursorFullError,
    lmdb.IncompatibleError,
    lmdb.InvalidError,
    lmdb.KeyExistsError,
    lmdb.NotFoundError,
    lmdb.PageFullError,
    lmdb.PageNotFoundError,
)
"""LMDB's errors for inconsistent pages."""


def storage_error(path: str, error: Exception) -> StorageError:
    """Return this package's error for one of `SYSTEM_ERRORS`.

    LMDB reports system errors by errno, and the state of its pages by its own classes.
    """
    reason = str(error) or type(error).__name__
    if isinstance(error, MemoryError):
        return OutOfMemory(path, reason)
    if isinstance(error, lmdb.VersionMismatchError):
        return UnsupportedFormat(path, "another LMDB's", "LMDB 0.9's")
    if isinstance(error, _CORRUPTION):
        return CorruptDatabase(path, reason)
    if isinstance(error, OSError):
        return _BY_NUMBER.get(error.errno or 0, StorageFailed)(path, reason)
    known = _BY_CLASS.get(type(error)) or _BY_NUMBER.get(getattr(error, "code", 0), StorageFailed)
    return known(path, reason)


@contextmanager
def as_storage_errors(path: str) -> Iterator[None]:
    """Raise this package's errors for `SYSTEM_ERRORS` inside the `with` block."""
    try:
        yield
    except SYSTEM_ERRORS as error:
        raise storage_error(path, error) from error
