"""Checks of LMDB's file before LMDB maps it: access beyond the end of the file kills the process.

seal = SHA-256(name || 00 || key || body)      32 bytes, after the body

The digest includes the names of database and key, so that a record in the wrong place is refused like a
damaged one. Seals detect hardware faults, not tampering: anyone who can write the file can compute seals.

page 0, page 1   meta pages, written alternately; the one with the greater transaction number is current
    meta page        page header 16 B | magic | format | address | map size | free list's and main tree's
                     descriptions, 48 B each | last page | transaction number

All numbers are in native byte order, as LMDB 0.9 writes them. LMDB does not verify its meta pages.
"""

import os
import struct
from pathlib import Path
from typing import NamedTuple

import lmdb.verify

from iavl.errors import CorruptDatabase, MapTooSmall, RecordMissing, UnsupportedFormat
from iavl.sha import sha256

SIZE = 32


def sealed(name: str, key: bytes, body: bytes) -> bytes:
    """Append the seal of `body` at `key` in the database `name`."""
    return body + sha256(b"".join((name.encode(), b"\0", key, body))).digest()


def unsealed(path: str, name: str, key: bytes, record: bytes | None) -> bytes:
    """Verify a record's seal and return its body.

    Raises:
        RecordMissing: the record does not exist.
        CorruptDatabase: the record is damaged, or in the wrong place.
    """
    if record is None:
        raise RecordMissing(path, f"{name} {format_key(key)} is missing")
    body = record[:-SIZE]
    if len(record) < SIZE or record[-SIZE:] != sha256(b"".join((name.encode(), b"\0", key, body))).digest():
        raise CorruptDatabase(path, f"{name} {format_key(key)} is damaged")
    return body


def format_key(key: bytes) -> str:
    """Format a key for error messages: numbers, or text."""
    if len(key) in {8, 12}:
        number = str(int.from_bytes(key[:8]))
        return number if len(key) == 8 else f"{number}.{int.from_bytes(key[8:])}"
    return key.decode(errors="replace")


NAME = "data.mdb"
HOLE = 1 << 20
"""Bytes of sparse space after the last page."""
_LMDB_LOCK = "lock.mdb"
_META = struct.Struct("=Q2xH4x II16x IHH32xQ IHH32xQ QQ")
_MAGIC, _FORMAT, _IS_META = 0xBEEFC0DE, 1, 0x08
_FREE_FLAGS, _MAIN_FLAGS, _NO_ROOT = 0x08, 0, (1 << 64) - 1
_PAGE_SIZES = [1 << bits for bits in range(8, 16)]


class _Meta(NamedTuple):
    """Content of a meta page: `page` is its page number; sizes are in bytes."""

    page: int
    page_flags: int
    magic: int
    form: int
    page_size: int
    free_flags: int
    free_depth: int
    free_root: int
    main_pad: int
    main_flags: int
    main_depth: int
    main_root: int
    last_page: int
    number: int

    def is_sound(self, place: int) -> bool:
        """Return whether LMDB could have written this meta page at page `place`."""
        return (
            (self.page, self.page_flags) == (place, _IS_META)
            and self.page_size in _PAGE_SIZES
            and (self.free_flags, self.main_flags, self.main_pad) == (_FREE_FLAGS, _MAIN_FLAGS, 0)
            and self.number % 2 == (place if self.number else 0)
            and all(root <= self.last_page or root == _NO_ROOT for root in (self.free_root, self.main_root))
        )


def exists(folder: Path) -> bool:
    """Return whether there is a file to open.

    Raises:
        CorruptDatabase: the file is missing, although LMDB's lock file exists.
    """
    if (folder / NAME).exists():
        return True
    if (folder / _LMDB_LOCK).exists():
        raise CorruptDatabase(str(folder), f"{NAME} is missing")
    return False


def check(folder: Path, map_size: int) -> None:
    """Check that the file is LMDB's, and has all pages that its meta pages count.

    Raises:
        CorruptDatabase: the file is not a complete LMDB file.
        UnsupportedFormat: another version of LMDB wrote it.
        MapTooSmall: the file exceeds `map_size` bytes.
        OSError: the file cannot be read.
    """
    path = str(folder)
    with (folder / NAME).open("rb") as file:
        size = file.seek(0, 2)
        file.seek(0)
        first = _read(path, file.read(_META.size), 0)
        if first.page_size not in _PAGE_SIZES:
            raise _damaged(path, 0)
        file.seek(first.page_size)
        metas = first, _read(path, file.read(_META.size), 1)
    if metas[0].form == metas[1].form != _FORMAT:
        raise UnsupportedFormat(path, f"LMDB {first.form}", f"LMDB {_FORMAT}")
    for place, meta in enumerate(metas):
        if not meta.is_sound(place) or meta.form != _FORMAT or meta.page_size != first.page_size:
            raise _damaged(path, place)
    needed = (max(metas, key=lambda meta: meta.number).last_page + 1) * first.page_size
    if size < needed:
        _make_good(folder, size, needed)
    if map_size < needed:
        raise MapTooSmall(path, f"{NAME} does not fit", map_size, needed)


def _make_good(folder: Path, size: int, needed: int) -> None:
    """Extend a file that lacks only free pages at its end, which LMDB does not write.

    `Environment` extends the file after each commit; this handles a process killed in between. It reads all
    pages.
    """
    if faults := structure_faults(folder):
        reason = f"{NAME} is truncated: {size} of {needed} bytes: {faults[0]}"
        raise CorruptDatabase(str(folder), reason)
    lengthen(folder / NAME, needed)


def lengthen(file: Path, needed: int) -> None:
    """Extend the file to `needed` bytes with zeros."""
    with file.open("r+b") as opened:
        opened.truncate(needed)


def sync_folder(folder: Path) -> None:
    """Sync the folder's directory entries to disk, on systems that support it; raise OSError."""
    if os.name != "posix":
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def structure_faults(folder: Path) -> list[str]:
    """Return the inconsistencies of the file's pages, read without LMDB."""
    try:
        faults: list[str] = lmdb.verify.verify(str(folder / NAME), subdir=False)  # type: ignore[no-untyped-call]
    except lmdb.verify.VerifyError as error:
        return [str(error)]
    return faults


def _read(path: str, raw: bytes, place: int) -> _Meta:
    if len(raw) < _META.size:
        raise CorruptDatabase(path, f"{NAME} is truncated within meta page {place}")
    meta = _Meta(*_META.unpack(raw))
    if meta.magic != _MAGIC:
        raise _damaged(path, place)
    return meta


def _damaged(path: str, place: int) -> CorruptDatabase:
    return CorruptDatabase(path, f"{NAME}: meta page {place} is damaged, or the file is not LMDB's")
