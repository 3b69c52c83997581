"""A versioned Merkle tree with ICS-23 proofs, byte-equal with cosmos/iavl; knows nothing of IBC.

`Tree` is one tree in memory; `MultiStore` is what a chain commits to: named trees under one app hash,
in memory or on disk. Bytes in, bytes out; nothing here knows what they mean.
"""

from iavl.commit_info import CommitInfo as CommitInfo
from iavl.disk.options import DiskOptions as DiskOptions
from iavl.errors import BadExport as BadExport
from iavl.errors import CorruptDatabase as CorruptDatabase
from iavl.errors import EmptyKey as EmptyKey
from iavl.errors import IavlError as IavlError
from iavl.errors import NotBytes as NotBytes
from iavl.errors import NotEmpty as NotEmpty
from iavl.errors import StorageBusy as StorageBusy
from iavl.errors import StorageError as StorageError
from iavl.errors import StorageFailed as StorageFailed
from iavl.errors import StoreClosed as StoreClosed
from iavl.errors import StoreMismatch as StoreMismatch
from iavl.errors import UnknownStore as UnknownStore
from iavl.errors import UnprovableAbsence as UnprovableAbsence
from iavl.errors import VersionMissing as VersionMissing
from iavl.errors import WrongExport as WrongExport
from iavl.multistore import MultiStore as MultiStore
from iavl.restore import Importer as Importer
from iavl.tree import Snapshot as Snapshot
from iavl.tree import Tree as Tree
from iavl.view import StoreView as StoreView
from iavl.write import Change as Change

__distribution__ = "pyibc"
