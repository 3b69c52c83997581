"""The block being committed, beside the state: its announcement survives a kill after the commit."""

import os
from hashlib import sha256
from pathlib import Path

import msgspec

from ibc_core.host.block import CommittedBlock

_HASH_BYTES = 32


class LastBlockFile:
    """Two files that are written in turn, so that one is always whole: SHA-256 of the rest, then the block.

    They stay open: a commit needs no file descriptor, of which a flood of connections may have left none.

    Args:
        path: What both names begin with; raises OSError.
    """

    def __init__(self, path: Path) -> None:
        names = [path.with_name(f"{path.name}.{turn}") for turn in range(2)]
        self._files = [os.open(name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644) for name in names]

    def write(self, block: CommittedBlock) -> None:
        """Takes the place of the block before the last; raises OSError."""
        file, raw = self._files[block.height % 2], msgspec.msgpack.encode(block)
        os.ftruncate(file, 0)
        left, at = memoryview(sha256(raw).digest() + raw), 0
        while at < len(left):
            at += os.pwrite(file, left[at:], at)

    def read(self) -> CommittedBlock | None:
        """The last block, None where there is none that can be read."""
        found = [block for block in map(_read, self._files) if block is not None]
        return max(found, key=lambda block: block.height, default=None)

    def close(self) -> None:
        """Lets go of the files; a second call does nothing."""
        while self._files:
            os.close(self._files.pop())


def _read(file: int) -> CommittedBlock | None:
    raw = os.pread(file, os.fstat(file).st_size, 0)
    if sha256(raw[_HASH_BYTES:]).digest() != raw[:_HASH_BYTES]:
        return None  # a kill came; a lost announcement is what a power cut costs, the state is elsewhere
    try:
        return msgspec.msgpack.decode(raw[_HASH_BYTES:], type=CommittedBlock)
    except msgspec.DecodeError:
        return None
