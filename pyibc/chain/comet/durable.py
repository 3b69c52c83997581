"""Files that survive a power cut intact.

`TwoSlots` is a small record that is replaced often, in two files written alternately. Each file has the
SHA-256 of the rest, the length of the record (8 bytes) and the record. The files stay open and are never
truncated: a write needs neither a file descriptor nor, in general, disk space.
"""

import os
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from iavl.disk.database.data_file import sync_folder

_HASH, _LENGTH = 32, 8


class TwoSlots:
    """Two files, `path`.0 and `path`.1; the parity of the record's number chooses one.

    Args:
        path: Common prefix of both names.
        durable: Sync each write to disk. If False, a power cut may lose the record.

    Raises:
        OSError: the files cannot be opened.
    """

    def __init__(self, path: Path, *, durable: bool) -> None:
        self._durable = durable
        names = [path.with_name(f"{path.name}.{turn}") for turn in range(2)]
        self._files = [os.open(name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644) for name in names]
        if durable:
            sync_folder(path.parent)

    def write(self, number: int, record: bytes) -> None:
        """Overwrite the record before the last one, by the parity of `number`; raise OSError."""
        file, body = self._files[number % 2], len(record).to_bytes(_LENGTH, "big") + record
        left, at = memoryview(sha256(body).digest() + body), 0
        while at < len(left):
            at += os.pwrite(file, left[at:], at)
        if self._durable:
            # guard: h104-a-signature-is-not-flushed drop
            #   test_h104_every_state_after_a_power_cut_opens_and_unmakes_nothing
            os.fdatasync(file)

    def read(self) -> list[bytes]:
        """Return the intact records: none to two, in no order."""
        found = [_record(os.pread(file, os.fstat(file).st_size, 0)) for file in self._files]
        return [record for record in found if record is not None]

    def is_damaged(self) -> bool:
        """Return whether both files have content and neither is intact, which no interrupted write causes."""
        return not self.read() and all(os.fstat(file).st_size for file in self._files)

    def close(self) -> None:
        """Close the files, if they are open."""
        while self._files:
            os.close(self._files.pop())


def _record(raw: bytes) -> bytes | None:
    end = _HASH + _LENGTH + int.from_bytes(raw[_HASH : _HASH + _LENGTH], "big")
    body = raw[_HASH:end]
    return body[_LENGTH:] if sha256(body).digest() == raw[:_HASH] else None


def write_synced(path: Path, content: bytes) -> None:
    """Write a new file and sync it to disk; raise OSError."""
    with path.open("xb") as file:
        _sync(file, content)


def replace_synced(path: Path, content: bytes, mode: int = 0o644) -> None:
    """Replace a file atomically and sync it to disk; raise OSError."""
    fresh = path.with_name(path.name + ".new")
    fresh.unlink(missing_ok=True)
    fresh.touch(mode=mode)
    with fresh.open("r+b") as file:
        _sync(file, content)
    fresh.replace(path)
    sync_folder(path.parent)


def _sync(file: BinaryIO, content: bytes) -> None:
    file.write(content)
    file.flush()
    os.fsync(file.fileno())
