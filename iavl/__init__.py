"""A versioned Merkle tree with ICS-23 proofs, byte-equal with cosmos/iavl; knows nothing of IBC.

`Tree` is one tree in memory; `MultiStore` is what a chain commits to: named trees under one app hash,
in memory or on disk. Bytes in, bytes out; nothing here knows what they mean.
"""

from iavl.commit_info import CommitInfo as CommitInfo
from iavl.disk.options import DiskOptions as DiskOptions
from iavl.disk.problems import BadFile as BadFile
from iavl.disk.problems import BadRecord as BadRecord
from iavl.disk.problems import LeakedNode as LeakedNode
from iavl.disk.problems import MissingRecord as MissingRecord
from iavl.disk.problems import Problem as Problem
from iavl.disk.problems import Verified as Verified
from iavl.disk.problems import WrongOrphan as WrongOrphan
from iavl.disk.problems import WrongTree as WrongTree
from iavl.disk.verify import verify_store as verify_store
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
from iavl.restore import Importer as Importer
from iavl.tree import Snapshot as Snapshot
from iavl.tree import Tree as Tree
from iavl.view import PastView as PastView
from iavl.view import StoreView as StoreView
from iavl.write import Change as Change

__distribution__ = "pyibc"
