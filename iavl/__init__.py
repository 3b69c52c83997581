"""A versioned Merkle tree with ICS-23 proofs, byte-compatible with cosmos/iavl, and independent of IBC.

`Tree` is one tree in memory; `MultiStore` holds the state of a chain: named trees under one app hash, in
memory or on disk. Keys and values are opaque bytes.
"""

from iavl.commit_info import CommitInfo as CommitInfo
from iavl.disk.database.settings import DiskOptions as DiskOptions
from iavl.disk.verification import BadFile as BadFile
from iavl.disk.verification import BadRecord as BadRecord
from iavl.disk.verification import LeakedNode as LeakedNode
from iavl.disk.verification import MissingRecord as MissingRecord
from iavl.disk.verification import Problem as Problem
from iavl.disk.verification import Verified as Verified
from iavl.disk.verification import WrongOrphan as WrongOrphan
from iavl.disk.verification import WrongTree as WrongTree
from iavl.disk.verification import verify_store as verify_store
from iavl.errors import AccessDenied as AccessDenied
from iavl.errors import BadExport as BadExport
from iavl.errors import CorruptDatabase as CorruptDatabase
from iavl.errors import DiskFull as DiskFull
from iavl.errors import EmptyKey as EmptyKey
from iavl.errors import HalfWritten as HalfWritten
from iavl.errors import HistoryBusy as HistoryBusy
from iavl.errors import IavlError as IavlError
from iavl.errors import MapFull as MapFull
from iavl.errors import MapTooSmall as MapTooSmall
from iavl.errors import NotBytes as NotBytes
from iavl.errors import NotEmpty as NotEmpty
from iavl.errors import OutOfMemory as OutOfMemory
from iavl.errors import ReadersFull as ReadersFull
from iavl.errors import RecordMissing as RecordMissing
from iavl.errors import StorageBusy as StorageBusy
from iavl.errors import StorageError as StorageError
from iavl.errors import StorageFailed as StorageFailed
from iavl.errors import StoreClosed as StoreClosed
from iavl.errors import StoreMismatch as StoreMismatch
from iavl.errors import UnknownStore as UnknownStore
from iavl.errors import UnprovableAbsence as UnprovableAbsence
from iavl.errors import UnsupportedFormat as UnsupportedFormat
from iavl.errors import VersionMissing as VersionMissing
from iavl.errors import VersionPruned as VersionPruned
from iavl.errors import WrongExport as WrongExport
from iavl.multistore import MultiStore as MultiStore
from iavl.nodes.write import Change as Change
from iavl.restore import Importer as Importer
from iavl.tree import Snapshot as Snapshot
from iavl.tree import Tree as Tree
from iavl.view import Charge as Charge
from iavl.view import StoreView as StoreView
from iavl.view import VersionView as VersionView

__distribution__ = "pyibc"
