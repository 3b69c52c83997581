"""Versioned Merkle tree with ICS-23 proofs, compatible with cosmos/iavl; `pyibc.MultiStore` holds several."""

from iavl.commit_info import CommitInfo as CommitInfo
from iavl.disk.database.settings import DiskOptions as DiskOptions
from iavl.errors import IavlError as IavlError
from iavl.restore import Importer as Importer
from iavl.tree import Snapshot as Snapshot
from iavl.tree import Tree as Tree
from iavl.view import StoreView as StoreView
