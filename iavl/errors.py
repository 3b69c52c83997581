"""Errors of the tree and its disk.

    IavlError
    ├── EmptyKey, NotBytes        a write that the tree refuses
    ├── UnknownStore              a store name that the multistore does not have
    ├── VersionMissing            a version that was never saved, or was deleted
    ├── UnprovableAbsence         an empty tree proves nothing
    ├── BadExport                 bytes that are not an exported version
    ├── WrongExport               an exported version with another app hash than the known one
    ├── NotEmpty                  a store that has versions takes no export
    └── StorageError              the disk
        ├── CorruptDatabase       what is stored contradicts itself
        ├── StoreMismatch         opened with other stores or versions than it was made with
        ├── StorageBusy           another process has it open
        ├── StorageFailed         a write was refused by the disk
        └── StoreClosed           closed, or given up after a failed write

Details are fields; texts are for people.
"""

from dataclasses import dataclass, fields
from typing import Any, ClassVar


@dataclass(eq=False)
class IavlError(Exception):
    """Base of the errors of this package."""

    text: ClassVar[str] = "tree error"

    def __str__(self) -> str:
        return self.text.format(**{f.name: getattr(self, f.name) for f in fields(self)})

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, f.name) for f in fields(self))


@dataclass(eq=False)
class EmptyKey(IavlError):
    """A key without bytes: ICS-23 has no proof for it."""

    store: str
    text: ClassVar[str] = "store {store!r}: an empty key"


@dataclass(eq=False)
class NotBytes(IavlError):
    """A key or value that is not `bytes`."""

    store: str
    found: str
    text: ClassVar[str] = "store {store!r}: bytes expected, not {found}"


@dataclass(eq=False)
class UnknownStore(IavlError):
    """No store of this name at this version."""

    name: str
    text: ClassVar[str] = "no store {name!r}"


@dataclass(eq=False)
class VersionMissing(IavlError):
    """The version is outside of `first..last`, those that are kept (none: last < first)."""

    version: int
    first: int
    last: int
    text: ClassVar[str] = "no version {version}: kept are {first} to {last}"


@dataclass(eq=False)
class UnprovableAbsence(IavlError):
    """The tree is empty: there is no neighbour to prove an absence with."""

    key: bytes
    text: ClassVar[str] = "an empty tree cannot prove the absence of {key!r}"


@dataclass(eq=False)
class BadExport(IavlError):
    """Bytes that `iavl.export` did not write, or not all of them."""

    reason: str
    text: ClassVar[str] = "no exported version: {reason}"


@dataclass(eq=False)
class WrongExport(IavlError):
    """An exported version whose app hash is not the expected one."""

    expected: bytes
    found: bytes
    text: ClassVar[str] = "the app hash is {found!r}, not {expected!r}"


@dataclass(eq=False)
class NotEmpty(IavlError):
    """Only a store without versions, or with one that is named, can be restored from an export."""

    version: int
    text: ClassVar[str] = "the store is at version {version} already"


@dataclass(eq=False)
class StorageError(IavlError):
    """Any error of the disk; `path` is the database's folder."""

    path: str


@dataclass(eq=False)
class CorruptDatabase(StorageError):
    """What is stored contradicts itself, or is not ours."""

    reason: str
    text: ClassVar[str] = "{path}: corrupt database: {reason}"


@dataclass(eq=False)
class StoreMismatch(StorageError):
    """Opened with other stores or another first version than the database was made with."""

    reason: str
    text: ClassVar[str] = "{path}: {reason}"


@dataclass(eq=False)
class StorageBusy(StorageError):
    """Another process, or another object of this one, has the database open."""

    text: ClassVar[str] = "{path}: in use"


@dataclass(eq=False)
class StorageFailed(StorageError):
    """The disk refused a write (full, unreadable, map size reached): nothing of the block was stored."""

    reason: str
    text: ClassVar[str] = "{path}: write failed: {reason}"


@dataclass(eq=False)
class StoreClosed(StorageError):
    """The store was closed, or a write failed and it has to be opened again."""

    text: ClassVar[str] = "{path}: closed"
