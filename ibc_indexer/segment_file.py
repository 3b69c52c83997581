"""One file of an export: what is in it, and how a line is appended whole or not at all."""

import contextlib
import errno
import os
from collections.abc import Iterable
from itertools import chain
from pathlib import Path

from ibc_indexer.block_files import Line, read_lines
from ibc_indexer.blocks import Block
from ibc_indexer.coverage import Heights
from ibc_indexer.errors import MalformedLine
from ibc_indexer.lines import LineHead, decode_line, parse_head

PACKED = ".gz"
_CLOSED = -1


class SegmentFile:
    """The whole lines of a file, and the file itself while lines are appended to it."""

    def __init__(self, path: Path) -> None:
        """Reads nothing: see `read`."""
        self.path = path
        self.digests: dict[int, str] = {}  # by height
        self.heights = Heights()
        self.last: LineHead | None = None  # that of the highest line
        self.size = 0  # bytes, to the end of the last line that is not torn
        self._file = _CLOSED

    @classmethod
    def read(cls, path: Path) -> "SegmentFile":
        """What is in a file, which stays as it is; raises OSError."""
        segment = cls(path)
        segment.take_all()
        return segment

    def open(self, size: int | None = None) -> None:
        """Opens it to append to, makes it if absent. A torn line at its end is cut off.

        Args:
            size: what it had when it was closed; if it has another one, nothing is cut: somebody else writes.

        Raises:
            OSError: it cannot be written.
        """
        self._file = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        if size is None:
            os.ftruncate(self._file, self.size)
        else:
            self.size = size

    def is_alone(self) -> bool:
        """Whether nobody else has appended to the file since it was opened."""
        return os.fstat(self._file).st_size == self.size

    def append(self, line: bytes, head: LineHead, *, sync: bool) -> None:
        """Appends `line`, or nothing: what a full disk left of it is taken back.

        Raises:
            OSError: the disk says no, or the file was removed.
        """
        if os.fstat(self._file).st_nlink == 0:
            raise FileNotFoundError(errno.ENOENT, "the file was removed", str(self.path))
        try:
            written = os.write(self._file, line)
            while written < len(line):  # a full disk or a signal may take only a part
                written += os.write(self._file, line[written:])
            if sync:
                os.fsync(self._file)
        except OSError:
            os.ftruncate(self._file, self.size)
            raise
        self.size += len(line)
        self._take(head)

    def close(self) -> None:
        """Closes the file; what was read of it stays known."""
        if self._file != _CLOSED:
            os.close(self._file)
        self._file = _CLOSED

    def take_all(self) -> None:
        """Reads the file, and what was packed of it; raises OSError."""
        for packed in _packed_lines(self.path):
            with contextlib.suppress(MalformedLine):
                self._take(packed.head())
        if not self.path.exists():
            return
        with self.path.open("rb") as lines:
            for line in lines:
                if line.endswith(b"\n"):  # else it is the last one, and torn
                    self.size += len(line)
                    with contextlib.suppress(MalformedLine):  # a damaged one stays: readers report it
                        self._take(parse_head(line))

    def _take(self, head: LineHead) -> None:
        self.digests.setdefault(head.height, head.digest)
        self.heights = self.heights.adding(head.height)
        if self.last is None or head.height > self.last.height:
            self.last = head


def find_block(path: Path, height: int) -> Block | None:
    """The block of `height` in a file or what was packed of it; None if it is not there or cannot be read."""
    plain = read_lines(path) if path.exists() else ()
    for line in chain(plain, _packed_lines(path)):
        with contextlib.suppress(MalformedLine):
            if line.head().height == height:
                return decode_line(line.data)
    return None


def _packed_lines(path: Path) -> Iterable[Line]:
    packed = path.with_name(path.name + PACKED)
    return read_lines(packed) if packed.exists() else ()
