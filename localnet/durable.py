"""Files that a power cut leaves whole.

`TwoSlots` is a small record that is replaced again and again, in two files written alternately. Each holds
the SHA-256 of the rest, the length of the record (8 bytes) and the record. The files stay open and are never
cut: a write needs neither a file descriptor nor, mostly, room on the disk.
"""

import os
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from iavl.disk.data_file import sync_folder

_HASH, _LENGTH = 32, 8


class TwoSlots:
    """Two files, `path`.0 and `path`.1, of which the record's number chooses one.

    Args:
        path: Common prefix of both names.
        durable: Whether `write` returns only when the record is on the disk. If not, a power cut may take it.

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
        """Replaces the record that has the other parity than `number - 1`; raises OSError."""
        file, body = self._files[number % 2], len(record).to_bytes(_LENGTH, "big") + record
        left, at = memoryview(sha256(body).digest() + body), 0
        while at < len(left):
            at += os.pwrite(file, left[at:], at)
        if self._durable:
            # guard: h104-a-signature-is-not-flushed drop
            #   test_h104_every_state_after_a_power_cut_opens_and_unmakes_nothing
            os.fdatasync(file)

    def read(self) -> list[bytes]:
        """The records that are whole: none to two, in no order."""
        found = [_record(os.pread(file, os.fstat(file).st_size, 0)) for file in self._files]
        return [record for record in found if record is not None]

    def is_damaged(self) -> bool:
        """Whether both files hold something and neither is whole: no interrupted write leaves that."""
        return not self.read() and all(os.fstat(file).st_size for file in self._files)

    def close(self) -> None:
        """Closes the files, if they are open."""
        while self._files:
            os.close(self._files.pop())


def _record(raw: bytes) -> bytes | None:
    end = _HASH + _LENGTH + int.from_bytes(raw[_HASH : _HASH + _LENGTH], "big")
    body = raw[_HASH:end]
    return body[_LENGTH:] if sha256(body).digest() == raw[:_HASH] else None


def write_synced(path: Path, content: bytes) -> None:
    """Writes a new file and waits until its content is on the disk; raises OSError."""
    with path.open("xb") as file:
        _sync(file, content)


def replace_synced(path: Path, content: bytes, mode: int = 0o644) -> None:
    """Writes a file that is the old or the new one as a whole, and on the disk at the end; raises OSError."""
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
