"""The block being committed, on disk, so that listeners are notified of it even after a crash."""

import os
from hashlib import sha256
from pathlib import Path

import msgspec

from ibc_core.host.block import CommittedBlock

_HASH_BYTES = 32


class LastBlockFile:
    """The last block, in two files written alternately so that one is always complete.

    Each file holds the SHA-256 of the rest, then the encoded block. The files stay open: a commit must not
    need a new file descriptor, which a flood of connections may have exhausted.

    Args:
        path: Common prefix of both file names; raises OSError.
    """

    def __init__(self, path: Path) -> None:
        names = [path.with_name(f"{path.name}.{turn}") for turn in range(2)]
        self._files = [os.open(name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644) for name in names]

    def write(self, block: CommittedBlock) -> None:
        """Overwrites the older of the two blocks; raises OSError."""
        file, raw = self._files[block.height % 2], msgspec.msgpack.encode(block)
        os.ftruncate(file, 0)
        left, at = memoryview(sha256(raw).digest() + raw), 0
        while at < len(left):
            at += os.pwrite(file, left[at:], at)

    def read(self) -> CommittedBlock | None:
        """The last block, or None if neither file is readable."""
        found = [block for block in map(_read, self._files) if block is not None]
        return max(found, key=lambda block: block.height, default=None)

    def close(self) -> None:
        """Closes the files, if they are open."""
        while self._files:
            os.close(self._files.pop())


def _read(file: int) -> CommittedBlock | None:
    raw = os.pread(file, os.fstat(file).st_size, 0)
    if sha256(raw[_HASH_BYTES:]).digest() != raw[:_HASH_BYTES]:
        return None  # interrupted write; only a notification is lost, the state itself is stored elsewhere
    try:
        return msgspec.msgpack.decode(raw[_HASH_BYTES:], type=CommittedBlock)
    except msgspec.DecodeError:
        return None
