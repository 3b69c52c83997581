"""Checksum files of Hadoop: `.NAME.crc` beside the file `NAME`.

Spark writes them on a local disk, and verifies what it reads. DuckDB and delta-rs do neither, so a bit that
flips on the disk could change a number in the results. A run verifies the files that were not verified for
longest: the modification time of a checksum file is that of the last verification.

A checksum file consists of `crc` and a zero byte, the size of a chunk, and the CRC-32 of each chunk of the
file, all big-endian.
"""

import os
import struct
import zlib
from collections.abc import Iterable
from pathlib import Path

from pyibc.indexer.errors import DamagedLog, DamagedTable

BUDGET = 256 << 20
"""Bytes after which a run verifies no further file."""
_LEAST = 1 << 14  # bytes as which a small file counts
_CHUNK = 1 << 16  # bytes, in the checksum files that are written here
_FEWEST, _MOST = 1 << 9, 1 << 24  # bytes of a chunk in files of others; 512 by default
_HEADER = struct.Struct(">4sI")
_MAGIC = b"crc\0"


def checksum_file(path: Path) -> Path:
    """Return the path of the checksum file of a file."""
    return path.with_name(f".{path.name}.crc")


def add_checksums(paths: Iterable[Path]) -> list[Path]:
    """Write the checksum files that are missing; return the paths of the files that had one.

    Raises:
        DamagedLog: a file is missing.
    """
    known = list[Path]()
    for path in paths:
        beside = checksum_file(path)
        if _chunk_in(beside) is not None:
            known.append(path)
            continue
        _write(beside, _HEADER.pack(_MAGIC, _CHUNK) + _checksums(path, _CHUNK))
    return known


def verify(paths: Iterable[Path], budget: int = BUDGET) -> None:
    """Verify files that have checksum files, until `budget` bytes were read.

    Raises:
        DamagedTable: a file differs from its checksums.
        DamagedLog: a file is missing.
    """
    for _, path in sorted((checksum_file(path).stat().st_mtime_ns, path) for path in paths):
        if budget <= 0:
            return
        beside = checksum_file(path)
        chunk, content = _chunk_in(beside), beside.read_bytes()
        if chunk is None or content[_HEADER.size :] != _checksums(path, chunk):
            raise DamagedTable(str(path), beside.name)
        try:
            os.utime(beside)
        except PermissionError:  # another user wrote it
            _write(beside, content)
        budget -= max(path.stat().st_size, _LEAST)


def remove_checksums(folder: Path, kept: Iterable[str]) -> None:
    """Remove the checksum files in a folder, except those of files with the names in `kept`."""
    needed = {f".{name}.crc" for name in kept}
    for path in folder.glob(".*.crc"):
        if path.name not in needed:
            path.unlink()


def remove_files(paths: Iterable[Path]) -> None:
    """Remove Parquet files with their checksum files, and nothing else among the given ones."""
    for path in paths:
        if path.suffix == ".parquet":
            path.unlink(missing_ok=True)
            checksum_file(path).unlink(missing_ok=True)


def _write(beside: Path, content: bytes) -> None:
    """Write a checksum file; one that is cut by a power failure would look like a damaged table."""
    new = beside.with_suffix(".tmp")
    with new.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    new.replace(beside)


def _chunk_in(beside: Path) -> int | None:
    """Return the size of a chunk; None if the checksum file is missing or, after a power failure, empty."""
    try:
        with beside.open("rb") as file:
            magic, chunk = _HEADER.unpack(file.read(_HEADER.size))
    except (FileNotFoundError, struct.error):
        return None
    return chunk if magic == _MAGIC and _FEWEST <= chunk <= _MOST else None


def _checksums(path: Path, chunk: int) -> bytes:
    try:
        with path.open("rb") as file:
            return b"".join(
                zlib.crc32(content).to_bytes(4) for content in iter(lambda: file.read(chunk), b"")
            )
    except FileNotFoundError:
        raise DamagedLog(str(path), "is missing") from None
