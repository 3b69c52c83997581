"""State sync snapshots on disk: one folder each, with the chunks `0`, `1`, ... and a file `hashes`.

Chunks are those of `iavl.export`. `hashes`, which is also the snapshot's ABCI metadata, is the concatenated
SHA-256 of all chunks (32 bytes each); the snapshot's hash is the SHA-256 of `hashes`.

A snapshot is offered to others only if all of it was read back from the disk and makes the app hash of its
height; after a restart, if its chunks still have their hashes. A chunk is compared with its hash each time it
is given.
"""

import logging
import shutil
import time
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from abci_server.values import Snapshot
from iavl.disk.data_file import sync_folder
from iavl.restore import check
from localnet.durable import write_synced

log = logging.getLogger("localnet")

FORMAT = 2
MAX_CHUNKS = 1 << 16
_HASHES = "hashes"
_UNFINISHED = ".unfinished"
_HASH_BYTES = 32


class Taken(NamedTuple):
    """Of which state a snapshot is."""

    height: int
    app_hash: bytes
    stores: list[str]


class Snapshots:
    """The snapshots in one folder.

    Args:
        folder: Created if absent; incomplete snapshots in it are removed.
        kept: How many of the newest snapshots to keep.
    """

    def __init__(self, folder: Path, kept: int = 2) -> None:
        self._folder = folder
        self._kept = kept
        self._sound: dict[int, bytes] = {}  # height -> the hashes of a snapshot that was checked
        self._lock = Lock()
        folder.mkdir(parents=True, exist_ok=True)
        for left in folder.glob(f"*{_UNFINISHED}"):
            shutil.rmtree(left)

    def write(self, taken: Taken, chunks: Iterable[bytes]) -> None:
        """Stores a snapshot atomically, checked, and removes the oldest beyond `kept`.

        Raises:
            OSError: the disk refuses.
            BadExport, WrongExport: what is on the disk is not the state of that height.
        """
        height = taken.height
        unfinished = self._folder / f"{height}{_UNFINISHED}"
        unfinished.mkdir()
        try:
            hashes = b""
            for index, chunk in enumerate(chunks):
                write_synced(unfinished / str(index), chunk)
                hashes += sha256(chunk).digest()
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
        """All snapshots that are whole, oldest first."""
        with self._lock:
            found = [(height, self._checked(height)) for height in self._heights()]
        return [snapshot_of(height, hashes) for height, hashes in found if hashes]

    def oldest(self) -> int:
        """The height of the oldest snapshot; 0 if there is none."""
        return min(self._heights(), default=0)

    def chunk(self, height: int, index: int) -> bytes:
        """One chunk; empty if there is none, or not the right one any more."""
        with self._lock:
            hashes = self._checked(height)
        expected = hashes[index * _HASH_BYTES : (index + 1) * _HASH_BYTES]
        raw = _read(self._folder / str(height) / str(index)) if expected else b""
        # guard: h106-chunks-are-given-as-they-are test_h106_a_snapshot_that_rots_later_is_no_longer_given
        if raw and sha256(raw).digest() != expected:
            log.error("the snapshot of height %d is damaged: it is not offered any more", height)
            self._sound[height] = b""
            return b""
        return raw

    def _checked(self, height: int) -> bytes:
        """The hashes of a snapshot, empty if it is not whole: its chunks are read once."""
        if height not in self._sound:
            hashes = _whole(self._folder / str(height))
            if not hashes:
                log.error("the snapshot of height %d is damaged: it is not offered", height)
            self._sound[height] = hashes
        return self._sound[height]

    def _drop(self, height: int) -> None:
        self._sound.pop(height, None)
        shutil.rmtree(self._folder / str(height), ignore_errors=True)

    def _heights(self) -> list[int]:
        return _heights(self._folder)


def walk_snapshots(folder: Path) -> Iterator[tuple[int, bool]]:
    """Every snapshot's height in a folder, oldest first, and whether its chunks have their hashes."""
    for height in _heights(folder) if folder.exists() else ():
        yield height, bool(_whole(folder / str(height)))


def _heights(folder: Path) -> list[int]:
    return sorted(int(path.name) for path in folder.iterdir() if path.name.isdecimal())


def _whole(folder: Path) -> bytes:
    """The hashes of a snapshot if its chunks have them, else nothing."""
    hashes = _read(folder / _HASHES)
    expected = enumerate(_each(hashes))
    is_whole = all(sha256(_read(folder / str(index))).digest() == digest for index, digest in expected)
    return hashes if is_whole else b""


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""  # removed in the meantime


def _check(folder: Path, taken: Taken, count: int) -> None:
    def chunks() -> Iterator[bytes]:
        return ((folder / str(index)).read_bytes() for index in range(count))

    check(taken.stores, taken.height, taken.app_hash, chunks, _nap)


def _nap() -> None:
    """Lets others work: one that never sleeps keeps them from the interpreter for 5 ms at a time."""
    time.sleep(0.001)


def _each(hashes: bytes) -> Iterator[bytes]:
    for at in range(0, len(hashes), _HASH_BYTES):
        yield hashes[at : at + _HASH_BYTES]


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
