"""Export of a host's blocks to a folder, for the indexer (docs/indexer.md)."""

from pyibc.indexer.blocks.export import BlockExporter as BlockExporter
from pyibc.indexer.blocks.plugin import ExportPlugin as ExportPlugin
