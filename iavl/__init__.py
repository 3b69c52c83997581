"""A versioned Merkle tree with ICS-23 proofs, byte-equal with cosmos/iavl; knows nothing of IBC.

`Tree` is one tree in memory; `MultiStore` is what a chain commits to: named trees under one app hash,
in memory or on disk. Bytes in, bytes out; nothing here knows what they mean.
"""

from iavl.commit_info import CommitInfo
from iavl.disk.options import DiskOptions
from iavl.errors import (
    BadExport,
    CorruptDatabase,
    EmptyKey,
    IavlError,
    NotBytes,
    NotEmpty,
    StorageBusy,
    StorageError,
    StorageFailed,
    StoreClosed,
    StoreMismatch,
    UnknownStore,
    UnprovableAbsence,
    VersionMissing,
    WrongExport,
)
from iavl.multistore import MultiStore
from iavl.restore import Importer
from iavl.tree import Snapshot, Tree
from iavl.view import StoreView
from iavl.write import Change

__distribution__ = "pyibc"

__all__ = [
    "BadExport",
    "Change",
    "CommitInfo",
    "CorruptDatabase",
    "DiskOptions",
    "EmptyKey",
    "IavlError",
    "Importer",
    "MultiStore",
    "NotBytes",
    "NotEmpty",
    "Snapshot",
    "StorageBusy",
    "StorageError",
    "StorageFailed",
    "StoreClosed",
    "StoreMismatch",
    "StoreView",
    "Tree",
    "UnknownStore",
    "UnprovableAbsence",
    "VersionMissing",
    "WrongExport",
]
