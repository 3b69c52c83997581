"""File of an export: its content, and atomic appending of lines."""

import contextlib
import errno
import os
from collections.abc import Iterable
from itertools import chain
from pathlib import Path

from pyibc.indexer.block_files import Line, read_lines
from pyibc.indexer.blocks import Block
from pyibc.indexer.coverage import Heights
from pyibc.indexer.errors import MalformedLine
from pyibc.indexer.lines import LineHead, decode_line, parse_head

PACKED = ".gz"
_CLOSED = -1


class SegmentFile:
    """Intact lines of an export file, and the open file during appending."""

    def __init__(self, path: Path) -> None:
        """Create without reading the file; see `read`."""
        self.path = path
        self.digests: dict[int, str] = {}  # by height
        self.heights = Heights()
        self.last: LineHead | None = None  # head of the line with the highest height
        self.size = 0  # bytes up to the end of the last complete line
        self._file = _CLOSED

    @classmethod
    def read(cls, path: Path) -> "SegmentFile":
        """Read a file without changing it.

        Raises:
            OSError: the file cannot be read.
        """
        segment = cls(path)
        segment.take_all()
        return segment

    def open(self, size: int | None = None) -> None:
        """Open the file for appending, creating it if absent, and truncate a torn line at its end.

        Args:
            size: size at the last close. Without it the file is truncated to its complete lines; with it
                nothing is truncated, and `is_alone` detects other writers.

        Raises:
            OSError: the file is not writable.
        """
        self._file = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        if size is None:
            os.ftruncate(self._file, self.size)
        else:
            self.size = size

    def is_alone(self) -> bool:
        """Return whether no other process has appended to the file."""
        return os.fstat(self._file).st_size == self.size

    def append(self, line: bytes, head: LineHead, *, sync: bool) -> None:
        """Append `line` atomically: after a failure, the file is truncated to its previous size.

        Raises:
            OSError: writing failed, or the file was removed.
        """
        if os.fstat(self._file).st_nlink == 0:
            raise FileNotFoundError(errno.ENOENT, "the file was removed", str(self.path))
        try:
            written = os.write(self._file, line)
            while written < len(line):  # a full disk or a signal may cause a partial write
                written += os.write(self._file, line[written:])
            if sync:
                os.fsync(self._file)
        except OSError:
            os.ftruncate(self._file, self.size)
            raise
        self.size += len(line)
        self._take(head)

    def close(self) -> None:
        """Close the file; the known content stays available."""
        if self._file != _CLOSED:
            os.close(self._file)
        self._file = _CLOSED

    def take_all(self) -> None:
        """Read the file and its compressed counterpart.

        Raises:
            OSError: a file cannot be read.
        """
        for packed in _packed_lines(self.path):
            with contextlib.suppress(MalformedLine):
                self._take(packed.head())
        if not self.path.exists():
            return
        with self.path.open("rb") as lines:
            for line in lines:
                if line.endswith(b"\n"):  # otherwise it is the last line, and torn
                    self.size += len(line)
                    with contextlib.suppress(MalformedLine):  # damaged lines stay, readers report them
                        self._take(parse_head(line))

    def _take(self, head: LineHead) -> None:
        self.digests.setdefault(head.height, head.digest)
        self.heights = self.heights.adding(head.height)
        if self.last is None or head.height > self.last.height:
            self.last = head


def find_block(path: Path, height: int) -> Block | None:
    """Find the block at `height` in a file or its compressed counterpart; None if missing or unreadable."""
    plain = read_lines(path) if path.exists() else ()
    for line in chain(plain, _packed_lines(path)):
        with contextlib.suppress(MalformedLine):
            if line.head().height == height:
                return decode_line(line.data)
    return None


def _packed_lines(path: Path) -> Iterable[Line]:
    packed = path.with_name(path.name + PACKED)
    return read_lines(packed) if packed.exists() else ()
