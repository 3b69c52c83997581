"""State sync snapshots on disk: one folder each, with the chunks `0`, `1`, ... and a file `hashes`.

Chunks are those of `iavl.export`. `hashes`, which is also the snapshot's ABCI metadata, is the concatenated
SHA-256 of all chunks (32 bytes each); the snapshot's hash is the SHA-256 of `hashes`.
"""

import logging
import shutil
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from abci_server.values import Snapshot

log = logging.getLogger("localnet")

FORMAT = 1
MAX_CHUNKS = 1 << 14
_HASHES = "hashes"
_UNFINISHED = ".unfinished"
_HASH_BYTES = 32


class Snapshots:
    """The snapshots in one folder.

    Args:
        folder: Created if absent; incomplete snapshots in it are removed.
        kept: How many of the newest snapshots to keep.
    """

    def __init__(self, folder: Path, kept: int = 2) -> None:
        self._folder = folder
        self._kept = kept
        folder.mkdir(parents=True, exist_ok=True)
        for left in folder.glob(f"*{_UNFINISHED}"):
            shutil.rmtree(left)

    def write(self, height: int, chunks: Iterable[bytes]) -> None:
        """Stores a snapshot atomically and removes the oldest beyond `kept`; raises OSError."""
        unfinished = self._folder / f"{height}{_UNFINISHED}"
        unfinished.mkdir()
        try:
            hashes = b""
            for index, chunk in enumerate(chunks):
                (unfinished / str(index)).write_bytes(chunk)
                hashes += sha256(chunk).digest()
            (unfinished / _HASHES).write_bytes(hashes)
            unfinished.rename(self._folder / str(height))
        except BaseException:
            shutil.rmtree(unfinished)
            raise
        for old in self._heights()[: -self._kept]:
            shutil.rmtree(self._folder / str(old), ignore_errors=True)

    def known(self) -> list[Snapshot]:
        """All snapshots, oldest first."""
        found = []
        for height in self._heights():
            hashes = self._read(height, _HASHES)
            if hashes:
                found.append(snapshot_of(height, hashes))
        return found

    def chunk(self, height: int, index: int) -> bytes:
        """One chunk; empty if there is none."""
        return self._read(height, str(index))

    def _read(self, height: int, name: str) -> bytes:
        try:
            return (self._folder / str(height) / name).read_bytes()
        except FileNotFoundError:
            return b""  # removed in the meantime

    def _heights(self) -> list[int]:
        return sorted(int(path.name) for path in self._folder.iterdir() if path.name.isdecimal())


def snapshot_of(height: int, hashes: bytes) -> Snapshot:
    """The ABCI description of a snapshot with these chunk hashes."""
    return Snapshot(height, FORMAT, len(hashes) // _HASH_BYTES, sha256(hashes).digest(), hashes)


def chunk_hash(snapshot: Snapshot, index: int) -> bytes:
    """The expected hash of chunk `index`."""
    return snapshot.metadata[index * _HASH_BYTES : (index + 1) * _HASH_BYTES]


def is_whole(snapshot: Snapshot) -> bool:
    """Whether the description of a peer's snapshot is consistent."""
    hashes = snapshot.metadata
    fits = 0 < snapshot.chunks <= MAX_CHUNKS and len(hashes) == snapshot.chunks * _HASH_BYTES
    return fits and snapshot.height > 0 and sha256(hashes).digest() == snapshot.hash
