"""The block being committed, on disk, so that listeners are notified of it even after a crash."""

from pathlib import Path

import msgspec

from ibc_core.host.block import CommittedBlock
from localnet.durable import TwoSlots


class LastBlockFile:
    """The last block. A commit must not need a new file descriptor, which connections may have exhausted.

    Args:
        path: Common prefix of the file names; raises OSError.
    """

    def __init__(self, path: Path) -> None:
        self._slots = TwoSlots(path, durable=True)

    def write(self, block: CommittedBlock) -> None:
        """Overwrites the older of the two blocks; it is on the disk when this returns. Raises OSError."""
        self._slots.write(block.height, msgspec.msgpack.encode(block))

    def read(self) -> CommittedBlock | None:
        """The last block, or None if neither file is readable."""
        found = [block for block in map(_decoded, self._slots.read()) if block is not None]
        return max(found, key=lambda block: block.height, default=None)

    def close(self) -> None:
        """Closes the files, if they are open."""
        self._slots.close()


def _decoded(raw: bytes) -> CommittedBlock | None:
    try:
        return msgspec.msgpack.decode(raw, type=CommittedBlock)
    except msgspec.DecodeError:
        return None  # only a notification is lost, the state itself is stored elsewhere
