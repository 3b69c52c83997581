"""State sync snapshots on disk: one folder each, with the chunks `0`, `1`, ... and a file `hashes`.

Chunks are those of `iavl.export`. `hashes`, which is also the snapshot's ABCI metadata, is the concatenated
SHA-256 of all chunks (32 bytes each); the snapshot's hash is the SHA-256 of `hashes`.

A snapshot is offered to peers only after all of it was read back from disk and verified against the app hash
of its height; after a restart, if its chunks still match their hashes. A chunk is compared with its hash each
time it is served.
"""

import logging
import shutil
import time
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from abci_server.messages.requests import Snapshot
from iavl.disk.database.data_file import sync_folder
from iavl.restore import check
from pyibc.chain.comet.settings import write_synced

log = logging.getLogger("pyibc.chain")

FORMAT = 2
MAX_CHUNKS = 1 << 16
FEW_CHUNKS = 1 << 10
"""Number of chunks up to which chunks may have any size."""
SMALLEST_CHUNK = 1 << 16
"""Minimum size in bytes of chunks if there are more of them; the last one may be smaller."""
_HASHES = "hashes"
_UNFINISHED = ".unfinished"
_HASH_BYTES = 32


class SnapshotSource(NamedTuple):
    """The state that a snapshot contains."""

    height: int
    app_hash: bytes
    stores: list[str]


class Snapshots:
    """The snapshots in one folder.

    Args:
        folder: Folder, created if absent; incomplete snapshots in it are removed.
        kept: Number of recent snapshots to retain.
    """

    def __init__(self, folder: Path, kept: int = 2) -> None:
        self._folder = folder
        self._kept = kept
        self._sound: dict[int, bytes] = {}  # height -> chunk hashes of a verified snapshot
        self._lock = Lock()
        folder.mkdir(parents=True, exist_ok=True)
        for left in folder.glob(f"*{_UNFINISHED}"):
            shutil.rmtree(left)

    def write(self, taken: SnapshotSource, chunks: Iterable[bytes]) -> None:
        """Store a snapshot atomically, verify it, and remove the oldest beyond `kept`.

        Raises:
            OSError: the disk failed.
            BadExport, WrongExport: the data on disk is not the state of that height.
        """
        height = taken.height
        unfinished = self._folder / f"{height}{_UNFINISHED}"
        unfinished.mkdir()
        try:
            digests, smallest = [], SMALLEST_CHUNK
            for index, chunk in enumerate(chunks):
                write_synced(unfinished / str(index), chunk)
                digests.append(sha256(chunk).digest())
                smallest = min(smallest, len(chunk)) if index == 0 else smallest
            hashes = b"".join(digests)
            if are_too_small(len(digests), smallest):
                log.error(
                    "the snapshot of height %d has %d chunks, too many for their size: no node restores it; "
                    "set snapshot_chunk_bytes to %d or more",
                    height,
                    len(digests),
                    SMALLEST_CHUNK,
                )
            write_synced(unfinished / _HASHES, hashes)
            sync_folder(unfinished)
            # guard: h106-snapshots-are-not-read-back drop
            #   test_h106_a_snapshot_that_the_disk_changed_is_never_offered
            _check(unfinished, taken, len(hashes) // _HASH_BYTES)
            unfinished.rename(self._folder / str(height))
            # guard: h106-the-name-of-a-snapshot-is-not-flushed drop
            #   test_h106_a_snapshot_is_on_the_disk_before_it_has_its_name
            sync_folder(self._folder)
        except BaseException:
            shutil.rmtree(unfinished, ignore_errors=True)
            raise
        self._sound[height] = hashes
        for old in self._heights()[: -self._kept]:
            self._drop(old)

    def known(self) -> list[Snapshot]:
        """Return all intact snapshots, oldest first."""
        with self._lock:
            found = [(height, self._checked(height)) for height in self._heights()]
        return [snapshot_of(height, hashes) for height, hashes in found if hashes]

    def oldest(self) -> int:
        """Return the height of the oldest snapshot; 0 if there is none."""
        return min(self._heights(), default=0)

    def chunk(self, height: int, index: int) -> bytes:
        """Return one chunk; empty if it is missing or damaged."""
        with self._lock:
            hashes = self._checked(height)
        expected = hashes[index * _HASH_BYTES : (index + 1) * _HASH_BYTES]
        raw = _read(self._folder / str(height) / str(index)) if expected else b""
        # guard: h106-chunks-are-given-as-they-are test_h106_a_snapshot_that_rots_later_is_no_longer_given
        if raw and sha256(raw).digest() != expected:
            log.error("the snapshot of height %d is damaged and no longer offered", height)
            self._sound[height] = b""
            return b""
        return raw

    def _checked(self, height: int) -> bytes:
        """Return the hashes of a snapshot, empty if it is damaged; its chunks are read once."""
        if height not in self._sound:
            hashes = _whole(self._folder / str(height))
            if not hashes:
                log.error("the snapshot of height %d is damaged and not offered", height)
            self._sound[height] = hashes
        return self._sound[height]

    def _drop(self, height: int) -> None:
        self._sound.pop(height, None)
        shutil.rmtree(self._folder / str(height), ignore_errors=True)

    def _heights(self) -> list[int]:
        return _heights(self._folder)


def walk_snapshots(folder: Path) -> Iterator[tuple[int, bool]]:
    """Iterate over the snapshots in a folder, oldest first: height, and whether the chunks match."""
    for height in _heights(folder) if folder.exists() else ():
        yield height, bool(_whole(folder / str(height)))


def _heights(folder: Path) -> list[int]:
    return sorted(int(path.name) for path in folder.iterdir() if path.name.isdecimal())


def _whole(folder: Path) -> bytes:
    """Return the hashes of a snapshot if its chunks match them, else empty bytes."""
    hashes = _read(folder / _HASHES)
    expected = enumerate(_each(hashes))
    is_whole = all(sha256(_read(folder / str(index))).digest() == digest for index, digest in expected)
    return hashes if is_whole else b""


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""  # removed in the meantime


def _check(folder: Path, taken: SnapshotSource, count: int) -> None:
    def chunks() -> Iterator[bytes]:
        return ((folder / str(index)).read_bytes() for index in range(count))

    check(taken.stores, taken.height, taken.app_hash, chunks, _nap)


def _nap() -> None:
    """Sleep briefly: a thread that never sleeps delays other threads by 5 ms at a time."""
    time.sleep(0.001)


def _each(hashes: bytes) -> Iterator[bytes]:
    for at in range(0, len(hashes), _HASH_BYTES):
        yield hashes[at : at + _HASH_BYTES]


def snapshot_of(height: int, hashes: bytes) -> Snapshot:
    """Return the ABCI description of a snapshot with these chunk hashes."""
    return Snapshot(height, FORMAT, len(hashes) // _HASH_BYTES, sha256(hashes).digest(), hashes)


def chunk_hash(snapshot: Snapshot, index: int) -> bytes:
    """Return the expected hash of chunk `index`."""
    return snapshot.metadata[index * _HASH_BYTES : (index + 1) * _HASH_BYTES]


def fault_of(snapshot: Snapshot) -> str:
    """Return the error in the description of a peer's snapshot; "" if it is consistent."""
    count, hashes = snapshot.chunks, snapshot.metadata
    if not 0 < count <= MAX_CHUNKS:
        return f"{count} chunks; expected 1 to {MAX_CHUNKS}"
    if snapshot.height <= 0:
        return "the height is not positive"
    if len(hashes) != count * _HASH_BYTES:
        return f"metadata has {len(hashes)} bytes; expected {_HASH_BYTES} for each of {count} chunks"
    return "" if sha256(hashes).digest() == snapshot.hash else "the hash does not match the chunk hashes"


def are_too_small(count: int, size: int) -> bool:
    """Return whether a snapshot has more chunks of `size` bytes than any node needs to create."""
    return count > FEW_CHUNKS and size < SMALLEST_CHUNK


def fault_of_size(snapshot: Snapshot, index: int, size: int, first: int) -> str:
    """Return the error in the size of a chunk, where the first chunk has `first` bytes; "" if valid.

    All chunks have the same size, except that the last one may be smaller.
    """
    # guard: h254-tiny-chunks-are-taken {are_too_small(snapshot.chunks, first) => False}
    #   test_h254_many_chunks_that_are_tiny_are_refused_with_the_first
    if are_too_small(snapshot.chunks, first):
        return f"{snapshot.chunks} chunks of {first} bytes; expected at least {SMALLEST_CHUNK} bytes each"
    is_last = index == snapshot.chunks - 1
    # guard: h254-chunks-of-any-size-are-taken {size == first or (is_last and 0 < size < first) => True}
    #   test_h254_chunks_of_other_sizes_than_the_first_are_refused
    return "" if size == first or (is_last and 0 < size < first) else f"{size} bytes; the first has {first}"
