"""Conversion of errors of LMDB and the operating system to errors of this package."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager

import lmdb

from iavl.errors import (
    AccessDenied,
    CorruptDatabase,
    DiskFull,
    MapFull,
    OutOfMemory,
    ReadersFull,
    StorageError,
    StorageFailed,
    UnsupportedFormat,
)

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
