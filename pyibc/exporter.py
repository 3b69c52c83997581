"""Writes the blocks that a host commits to a folder, for the indexer (docs/indexer.md)."""

from ibc_indexer.export import BlockExporter
from ibc_indexer.plugin import ExportPlugin

__all__ = [
    "BlockExporter",
    "ExportPlugin",
]
