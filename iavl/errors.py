"""Errors of the tree and its disk.

    IavlError
    ├── EmptyKey, NotBytes        invalid arguments of a write
    ├── HalfWritten               a write to a store failed, and was not rolled back
    ├── UnknownStore              the multistore has no store of this name
    ├── VersionMissing            the version was never committed, or was pruned
    │   └── VersionPruned         the version was pruned while it was being read
    ├── HistoryBusy               too many readers wait for old versions to be rebuilt
    ├── UnprovableAbsence         an empty tree has no proofs of absence
    ├── BadExport                 the bytes are not an exported version
    ├── WrongExport               the exported version has another app hash than expected
    ├── NotEmpty                  a store that has versions cannot be restored
    └── StorageError              an error of the storage on disk
            ├── CorruptDatabase       the database is inconsistent
            │   └── RecordMissing     a record that another record refers to is missing
            ├── UnsupportedFormat     written by another release, or by another version of LMDB
            ├── StoreMismatch         opened with other stores or versions than it was created with
            ├── StorageBusy           another process has it open
            ├── StorageFailed         the disk or the system failed
            │   ├── DiskFull          no space, or no quota
            │   ├── MapFull           DiskOptions.map_size is reached
            │   ├── MapTooSmall       DiskOptions.map_size is smaller than the file
            │   ├── OutOfMemory       memory or address space is exhausted
            │   ├── AccessDenied      permissions, or a read-only file system
            │   └── ReadersFull       LMDB's reader table is full
            └── StoreClosed           closed, also by a failed write

Details are fields; the texts are meant for people.
"""

from dataclasses import dataclass, fields
from typing import Any, ClassVar, dataclass_transform


@dataclass_transform(eq_default=False)
@dataclass(eq=False)
class IavlError(Exception):
    """Base class of this package's errors; each subclass is a dataclass with its fields and `text`."""

    text: ClassVar[str] = "tree error"

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        dataclass(eq=False)(cls)

    def __str__(self) -> str:
        return self.text.format(**{f.name: getattr(self, f.name) for f in fields(self)})

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, f.name) for f in fields(self))


class EmptyKey(IavlError):
    """The key is empty: ICS-23 has no proof for it."""

    store: str
    text = "store {store!r}: empty key"


class NotBytes(IavlError):
    """A key or value is not of type `bytes`."""

    store: str
    found: str
    text = "store {store!r}: expected bytes, got {found}"


class HalfWritten(IavlError):
    """A write to this store failed; its working version is unusable until `rollback`."""

    store: str
    text = "store {store!r}: a write failed; roll back first"


class UnknownStore(IavlError):
    """The multistore has no store of this name at this version."""

    name: str
    text = "no store {name!r}"


class VersionMissing(IavlError):
    """The version is outside of the retained range `first..last` (empty if last < first)."""

    version: int
    first: int
    last: int
    text = "no version {version}: versions {first} to {last} are retained"


class VersionPruned(VersionMissing):
    """The version was retained when a read of it began, and was pruned before the read ended."""

    text = "version {version} was pruned while it was read: versions {first} to {last} are retained"


class HistoryBusy(IavlError):
    """Old versions are rebuilt one at a time, and the wait for this one was too long: retry later."""

    version: int
    milliseconds: int
    text = "version {version} waited {milliseconds} ms for other rebuilds; retry later"


class UnprovableAbsence(IavlError):
    """The tree is empty: there is no neighbour with which to prove an absence."""

    key: bytes
    text = "an empty tree cannot prove the absence of {key!r}"


class BadExport(IavlError):
    """The bytes were not written by `iavl.export`, or are incomplete."""

    reason: str
    text = "not an exported version: {reason}"


class WrongExport(IavlError):
    """The app hash of an exported version is not the expected one."""

    expected: bytes
    found: bytes
    text = "the app hash is {found!r}, not {expected!r}"


class NotEmpty(IavlError):
    """A store with versions, other than a single named one, cannot be restored from an export."""

    version: int
    text = "the store is at version {version} already"


class StorageError(IavlError):
    """Base class of storage errors; `path` is the database's folder."""

    path: str


class CorruptDatabase(StorageError):
    """The database is inconsistent, or was not written by this package."""

    reason: str
    text = "{path}: corrupt database: {reason}"


class RecordMissing(CorruptDatabase):
    """A record that another record refers to is missing."""


class UnsupportedFormat(StorageError):
    """The database was written by another release of this package, or by another version of LMDB."""

    found: str
    expected: str
    text = "{path}: its format is {found}, not {expected}"


class StoreMismatch(StorageError):
    """The database was created with other stores or another initial version."""

    reason: str
    text = "{path}: {reason}"


class StorageBusy(StorageError):
    """Another process, or another object of this one, has the database open."""

    text = "{path}: in use"


class StorageFailed(StorageError):
    """The disk or the system failed, and nothing of the block was stored. Subclasses name the cause."""

    reason: str
    text = "{path}: storage failed: {reason}"


class DiskFull(StorageFailed):
    """No space is left on the device, or no quota."""

    text = "{path}: the disk is full: {reason}"


class MapFull(StorageFailed):
    """The file has reached `DiskOptions.map_size`; the disk itself may have space."""

    text = "{path}: map_size is reached: {reason}"


class MapTooSmall(StorageFailed):
    """`DiskOptions.map_size` is smaller than the file; both in bytes."""

    map_size: int
    needed: int
    text = "{path}: {reason}: map_size is {map_size} bytes, the file needs {needed}"


class OutOfMemory(StorageFailed):
    """No memory is left, or no address space for the map."""

    text = "{path}: out of memory: {reason}"


class AccessDenied(StorageFailed):
    """The files may not be read or written, or the file system is read-only."""

    text = "{path}: access denied: {reason}"


class ReadersFull(StorageFailed):
    """LMDB's table of readers has no free slot."""

    text = "{path}: too many readers: {reason}"


class StoreClosed(StorageError):
    """The store was closed, or a write failed and it has to be opened again."""

    text = "{path}: closed"
