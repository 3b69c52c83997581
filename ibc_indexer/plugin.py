"""The exporter as a plugin: writes each block as the host commits it."""

from pathlib import Path

from ibc_core.host.block import CommittedBlock
from ibc_indexer.export import BlockExporter
from ibc_module import hookimpl


class ExportPlugin:
    """Exports one chain's blocks to a folder that `pyibc index` reads."""

    def __init__(self, folder: Path) -> None:
        """Opens the folder; what a kill cut short there is mended."""
        self._exporter = BlockExporter(folder)

    @hookimpl
    def chain_committed(self, block: CommittedBlock) -> None:
        """Appends the block; one that is there already is left alone."""
        self._exporter.write(block)

    def close(self) -> None:
        """Closes the file."""
        self._exporter.close()
