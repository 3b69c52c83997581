"""Writes the blocks that a host commits to a folder, for the indexer (docs/indexer.md)."""

from ibc_indexer.export import BlockExporter as BlockExporter
from ibc_indexer.plugin import ExportPlugin as ExportPlugin
