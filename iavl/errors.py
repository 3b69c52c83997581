"""Errors of the tree and its disk.

    IavlError
    ├── EmptyKey, NotBytes        a write that the tree refuses
    ├── HalfWritten               a write failed in a store, and was not rolled back
    ├── UnknownStore              a store name that the multistore does not have
    ├── VersionMissing            a version that was never saved, or was deleted
    │   └── VersionPruned         deleted while it was being read
    ├── HistoryBusy               too many readers wait for old versions to be rebuilt
    ├── UnprovableAbsence         an empty tree proves nothing
    ├── BadExport                 bytes that are not an exported version
    ├── WrongExport               an exported version with another app hash than the known one
    ├── NotEmpty                  a store that has versions takes no export
    └── StorageError              the disk
        ├── CorruptDatabase       what is stored contradicts itself
        │   └── RecordMissing     a record that another one names is not there
        ├── UnsupportedFormat     written by another release, or by another version of LMDB
        ├── StoreMismatch         opened with other stores or versions than it was made with
        ├── StorageBusy           another process has it open
        ├── StorageFailed         the machine refused
        │   ├── DiskFull          no space, or no quota
        │   ├── MapFull           DiskOptions.map_size is reached
        │   ├── MapTooSmall       DiskOptions.map_size is smaller than the file
        │   ├── OutOfMemory       memory or address space
        │   ├── AccessDenied      permissions, or a read-only file system
        │   └── ReadersFull       LMDB's table of readers
        └── StoreClosed           closed, or given up after a failed write

Details are fields; texts are for people.
"""

from dataclasses import dataclass, fields
from typing import Any, ClassVar, dataclass_transform


@dataclass_transform(eq_default=False)
@dataclass(eq=False)
class IavlError(Exception):
    """Base of the errors of this package; a subclass is a dataclass: it lists its fields and `text`."""

    text: ClassVar[str] = "tree error"

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        dataclass(eq=False)(cls)

    def __str__(self) -> str:
        return self.text.format(**{f.name: getattr(self, f.name) for f in fields(self)})

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, f.name) for f in fields(self))


class EmptyKey(IavlError):
    """A key without bytes: ICS-23 has no proof for it."""

    store: str
    text = "store {store!r}: an empty key"


class NotBytes(IavlError):
    """A key or value that is not `bytes`."""

    store: str
    found: str
    text = "store {store!r}: bytes expected, not {found}"


class HalfWritten(IavlError):
    """A write to this store failed, so that its working version is unusable: `rollback` drops it."""

    store: str
    text = "store {store!r}: a write failed, and was not rolled back"


class UnknownStore(IavlError):
    """No store of this name at this version."""

    name: str
    text = "no store {name!r}"


class VersionMissing(IavlError):
    """The version is outside of `first..last`, those that are kept (none: last < first)."""

    version: int
    first: int
    last: int
    text = "no version {version}: kept are {first} to {last}"


class VersionPruned(VersionMissing):
    """The version was kept when a read of it began, and was deleted before the read was done."""

    text = "version {version} was pruned while it was read: kept are {first} to {last}"


class HistoryBusy(IavlError):
    """Old versions are rebuilt one at a time, and this one's turn did not come in time: ask again later."""

    version: int
    milliseconds: int
    text = "version {version} waited {milliseconds} ms to be rebuilt behind others"


class UnprovableAbsence(IavlError):
    """The tree is empty: there is no neighbour to prove an absence with."""

    key: bytes
    text = "an empty tree cannot prove the absence of {key!r}"


class BadExport(IavlError):
    """Bytes that `iavl.export` did not write, or not all of them."""

    reason: str
    text = "no exported version: {reason}"


class WrongExport(IavlError):
    """An exported version whose app hash is not the expected one."""

    expected: bytes
    found: bytes
    text = "the app hash is {found!r}, not {expected!r}"


class NotEmpty(IavlError):
    """Only a store without versions, or with one that is named, can be restored from an export."""

    version: int
    text = "the store is at version {version} already"


class StorageError(IavlError):
    """Any error of the disk; `path` is the database's folder."""

    path: str


class CorruptDatabase(StorageError):
    """What is stored contradicts itself, or is not ours."""

    reason: str
    text = "{path}: corrupt database: {reason}"


class RecordMissing(CorruptDatabase):
    """A record that another one names is not there."""


class UnsupportedFormat(StorageError):
    """The database was written by another release of this package, or by another version of LMDB."""

    found: str
    expected: str
    text = "{path}: its format is {found}, not {expected}"


class StoreMismatch(StorageError):
    """Opened with other stores or another first version than the database was made with."""

    reason: str
    text = "{path}: {reason}"


class StorageBusy(StorageError):
    """Another process, or another object of this one, has the database open."""

    text = "{path}: in use"


class StorageFailed(StorageError):
    """The machine refused: nothing of the block was stored. Subclasses tell what it lacked."""

    reason: str
    text = "{path}: the machine refused: {reason}"


class DiskFull(StorageFailed):
    """No space is left on the device, or no quota."""

    text = "{path}: the disk is full: {reason}"


class MapFull(StorageFailed):
    """The file has reached `DiskOptions.map_size`, which says nothing about the disk."""

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
