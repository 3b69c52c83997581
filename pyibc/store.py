"""A versioned Merkle tree with ICS-23 proofs, as cosmos/iavl has it; `pyibc.MultiStore` holds several."""

from iavl.commit_info import CommitInfo
from iavl.disk.options import DiskOptions
from iavl.errors import IavlError
from iavl.restore import Importer
from iavl.tree import Snapshot, Tree
from iavl.view import StoreView

__all__ = [
    "CommitInfo",
    "DiskOptions",
    "IavlError",
    "Importer",
    "Snapshot",
    "StoreView",
    "Tree",
]
