"""Checksums of files, which show damage that leaves a file's size as it was."""

from functools import lru_cache
from pathlib import Path
from zlib import crc32

from pyibc.indexer.storage.locations import Location

_PIECE = 1 << 20  # bytes read at once
_ALL = 1 << 63


def checksum_of(path: Location, offset: int = 0, length: int | None = None) -> int:
    """Return the CRC-32 of a file, or of at most `length` bytes from `offset`.

    Raises:
        OSError: the file cannot be read.
    """
    checksum, left = 0, _ALL if length is None else length
    with path.open("rb") as file:
        file.seek(offset)
        while piece := file.read(min(left, _PIECE)):
            checksum, left = crc32(piece, checksum), left - len(piece)
    return checksum


def recorded_checksum(path: Location) -> int | None:
    """Return the CRC-32 of a new file; None in a bucket, because a store checks its objects itself.

    Raises:
        OSError: the file cannot be read.
    """
    return checksum_of(path) if isinstance(path, Path) else None


def is_intact(path: Location, recorded: int | None) -> bool:
    """Return whether a file has the recorded checksum; objects in a bucket are not read.

    A process reads a file again only if its size or its time of modification changes.
    """
    if recorded is None or not isinstance(path, Path):
        return True
    try:
        now = path.stat()
        return _checksum(path, now.st_size, now.st_mtime_ns, now.st_ino) == recorded
    except OSError:
        return False


@lru_cache(1 << 14)
def _checksum(path: Path, _size: int, _mtime_ns: int, _inode: int) -> int:
    return checksum_of(path)
