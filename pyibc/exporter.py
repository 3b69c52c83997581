"""Writes a host's blocks to a folder, for the indexer (docs/indexer.md); needs `pyibc[exporter]`."""

from ibc_core.installation import need as _need

_need("ibc_indexer")

from ibc_indexer.export import BlockExporter as BlockExporter
from ibc_indexer.plugin import ExportPlugin as ExportPlugin
