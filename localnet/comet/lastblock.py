"""The block being committed, beside the state: its announcement survives a kill after the commit."""

from pathlib import Path

import msgspec

from ibc_module.core.block import CommittedBlock


class LastBlock:
    """One file with one block."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def write(self, block: CommittedBlock) -> None:
        """Replaces the block, whole or not at all; raises OSError."""
        fresh = self._path.with_name(self._path.name + ".new")
        fresh.write_bytes(msgspec.msgpack.encode(block))
        fresh.replace(self._path)

    def read(self) -> CommittedBlock | None:
        """The block, None where there is none that can be read."""
        try:
            return msgspec.msgpack.decode(self._path.read_bytes(), type=CommittedBlock)
        except (FileNotFoundError, msgspec.DecodeError):
            return None  # a lost announcement is what a power cut costs; the state is elsewhere
