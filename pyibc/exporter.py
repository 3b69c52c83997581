"""Export of a host's blocks to a folder, for the indexer (docs/indexer.md)."""

from pyibc.indexer.export import BlockExporter as BlockExporter
from pyibc.indexer.plugin import ExportPlugin as ExportPlugin
