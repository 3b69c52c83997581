"""Byte ranges of block files, the units of work of executors, and the lines in them.

A line belongs to the range that contains its newline. So the ranges of a file have every line exactly once,
also if a range ends within a line: when a growing file is planned, its end may be a line that is still being
written.
"""

import gzip
import zlib
from collections.abc import Iterable, Iterator
from typing import IO, NamedTuple, cast

from pyibc.indexer.block_files import GZIP, Line
from pyibc.indexer.bronze.files import SourceFile, open_url
from pyibc.indexer.errors import IndexerError
from pyibc.indexer.lines import MAX_LINE

_STEP = 1 << 16  # bytes read at once to find the beginning of a line
_PASSED = 1 << 18  # bytes read at once while skipping a line that is too long


class FileRange(NamedTuple):
    """Part of a file, in bytes; of a compressed file always the whole."""

    url: str
    begin: int
    end: int
    is_last: bool = True
    """True if a line without a newline at the end is reported: the file is not expected to grow."""

    @property
    def size(self) -> int:
        """Size in bytes."""
        return self.end - self.begin


def split(file: SourceFile, size: int, begin: int = 0) -> Iterator[FileRange]:
    """Split a file from the byte `begin` into ranges of about `size` bytes."""
    if file.is_packed:
        yield FileRange(file.url, 0, file.size)
        return
    while file.size - begin > size * 3 // 2:
        yield FileRange(file.url, begin, begin + size, is_last=False)
        begin += size
    yield FileRange(file.url, begin, file.size)


def grouped(ranges: Iterable[FileRange], size: int) -> list[list[FileRange]]:
    """Group ranges in order to partitions of about `size` bytes."""
    groups, weight = list[list[FileRange]](), size
    for each in ranges:
        if weight + each.size > size:
            groups.append([])
            weight = 0
        groups[-1].append(each)
        weight += each.size
    return groups


def lines_in(part: FileRange) -> Iterator[Line]:
    """Yield the lines of a range.

    A read error ends the iteration with a line whose `problem` is set. So is that of a line longer than
    `MAX_LINE`, which is skipped.
    """
    place = part.begin
    try:
        with open_url(part.url) as file:
            if file.read(len(GZIP)) == GZIP:
                file.seek(0)
                with gzip.GzipFile(fileobj=file) as unpacked:
                    yield from _lines(cast("IO[bytes]", unpacked), 0, None, part.is_last)
            else:
                place = _begin_of_line(file, part.begin)
                file.seek(place)
                yield from _lines(file, place, part.end, part.is_last)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        yield Line(place, b"", f"the rest of the file cannot be decompressed: {str(error)[:100]}")
    except OSError as error:
        reason = error.strerror or str(error).partition("\n")[0][:200]
        yield Line(place, b"", f"the rest of the file cannot be read: {reason}")
    except IndexerError as error:
        yield Line(place, b"", str(error))


def _lines(file: IO[bytes], place: int, end: int | None, is_last: bool) -> Iterator[Line]:
    while end is None or place < end:
        data = file.readline(MAX_LINE + 1)
        size = len(data) + (_pass_over(file, data) if len(data) > MAX_LINE else 0)
        whole = data.endswith(b"\n") if len(data) <= MAX_LINE else True
        if not data or (end is not None and place + size > end) or not (whole or is_last):
            return
        if len(data) > MAX_LINE:
            yield Line(place, b"", f"the line is longer than {MAX_LINE} bytes", size)
        else:
            yield Line(place, data)
        place += size


def _begin_of_line(file: IO[bytes], place: int) -> int:
    """Return the beginning of the line that the byte before `place` is in, or `place` after a newline."""
    while place > 0:
        before = max(0, place - _STEP)
        file.seek(before)
        found = file.read(place - before).rfind(b"\n")
        if found >= 0:
            return before + found + 1
        place = before
    return 0


def _pass_over(file: IO[bytes], data: bytes) -> int:
    """Skip the rest of the line that `data` begins; return the number of bytes skipped."""
    passed = 0
    while data and not data.endswith(b"\n"):
        data = file.readline(_PASSED)
        passed += len(data)
    return passed
