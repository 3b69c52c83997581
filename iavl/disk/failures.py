"""What LMDB and the operating system raise, as errors of this package."""

import errno

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

MACHINE = (lmdb.Error, OSError, MemoryError)
"""What is translated; anything else is a bug and stays what it is."""

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
_ROTTEN = (
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
"""What LMDB says of pages that contradict each other."""


def storage_error(path: str, error: Exception) -> StorageError:
    """The error of this package for one of `MACHINE`.

    LMDB tells the system's errors by their numbers, and the state of its pages by classes of its own.
    """
    reason = str(error) or type(error).__name__
    if isinstance(error, MemoryError):
        return OutOfMemory(path, reason)
    if isinstance(error, lmdb.VersionMismatchError):
        return UnsupportedFormat(path, "another LMDB's", "LMDB 0.9's")
    if isinstance(error, _ROTTEN):
        return CorruptDatabase(path, reason)
    if isinstance(error, OSError):
        return _BY_NUMBER.get(error.errno or 0, StorageFailed)(path, reason)
    known = _BY_CLASS.get(type(error)) or _BY_NUMBER.get(getattr(error, "code", 0), StorageFailed)
    return known(path, reason)
