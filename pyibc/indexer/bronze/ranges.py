"""Byte ranges of block files, the units of work of executors, and the lines in them.

A line belongs to the range that contains its newline. So the ranges of a file have every line exactly once,
also if a range ends within a line: when a growing file is planned, its end may be a line that is still being
written, which is a problem until a later range has its newline. Lines out of the bounds of chain and height
are not parsed.
"""

import gzip
from collections.abc import Iterable, Iterator
from contextlib import suppress
from io import BufferedIOBase
from typing import IO, NamedTuple, cast

from pyibc.indexer.blocks.block import Block
from pyibc.indexer.blocks.line_files import (
    GZIP,
    SNIFF,
    UNPACKING,
    Line,
    holds_lines,
    lines_of,
    unpacking_problem,
)
from pyibc.indexer.blocks.lines import MAX_LINE, LineHead, checksum_in, decode_line
from pyibc.indexer.errors import MAX_LISTED, MalformedLine, UnreadableInput
from pyibc.indexer.files import SourceFile, is_packed, open_url

NO_LINES = "contains no block lines"
"""Problem of a file that is no export."""
UNFINISHED = "it is the last one and not finished: a later run reads it when it is"
"""Problem of a line that may still be written."""
OPENING = 1 << 16  # bytes that can be read in the time in which a file is opened
_STEP = 1 << 16  # bytes read at once to find the beginning of a line


class Bounds(NamedTuple):
    """Bounds of the requested chains and heights."""

    chains: frozenset[str] | None = None  # None: all
    first: int = 0
    last: int | None = None  # None: unbounded
    with_problems: bool = False  # also what cannot be read, whose chain and height are not known

    @property
    def omits_problems(self) -> bool:
        """True if lines whose chain and height are not known are out of bounds."""
        return self != Bounds() and not self.with_problems

    def admits(self, chain_id: str, height: int) -> bool:
        """Return whether a line is within the bounds."""
        if self.chains is not None and chain_id not in self.chains:
            return False
        return height >= self.first and (self.last is None or height <= self.last)


class FileRange(NamedTuple):
    """Part of a file, in bytes.

    Compressed content and packet tables are read as a whole by the first range of a file, whatever its bytes.
    """

    url: str
    begin: int
    end: int
    is_last: bool = True
    """True if a line without a newline at the end is reported: the file is not expected to grow."""
    is_first: bool = True
    """True for the first range of a file in a batch."""

    @property
    def size(self) -> int:
        """Size in bytes."""
        return self.end - self.begin


class Record(NamedTuple):
    """Block of a line, or the reason why there is none."""

    head: LineHead | None  # None: not known
    offset: int  # of the line
    problem: str = ""
    block: Block | None = None  # None: there is a problem
    checksum: str = ""  # of the line
    is_file: bool = False  # the problem is that of the file


def range_of(file: SourceFile) -> FileRange:
    """Return the range of all bytes of a file, which is not expected to grow."""
    return FileRange(file.url, 0, file.size)


def split(part: FileRange, size: int) -> Iterator[FileRange]:
    """Split a byte range into ranges of about `size` bytes."""
    if is_packed(part.url):
        yield part
        return
    while part.size > size * 3 // 2:
        yield part._replace(end=part.begin + size, is_last=False)
        part = part._replace(begin=part.begin + size, is_first=False)
    yield part


def grouped(ranges: Iterable[FileRange], size: int) -> list[list[FileRange]]:
    """Group ranges in order to partitions of about `size` bytes."""
    groups, weight = list[list[FileRange]](), size
    for each in ranges:
        if weight + each.size + OPENING > size:
            groups.append([])
            weight = 0
        groups[-1].append(each)
        weight += each.size + OPENING
    return groups


def records_in(part: FileRange, bounds: Bounds) -> Iterator[Record]:
    """Yield the blocks of a range that are within `bounds`, and its first problems one by one.

    A line whose chain and height are not known is within no bounds.
    """
    refused = 0
    try:
        for line in lines_in(part):
            head = None
            try:
                head = line.head()
                if bounds.admits(head.chain_id, head.height):
                    block, checksum = decode_line(line.data), checksum_in(line.data)
                    yield Record(head, line.offset, block=block, checksum=checksum)
            except MalformedLine as error:
                if head is None and bounds.omits_problems:
                    continue
                refused += 1
                if refused <= MAX_LISTED:
                    yield Record(head, line.offset, f"line at byte {line.offset}: {error.reason}")
    except UnreadableInput as error:
        if not bounds.omits_problems:
            yield Record(None, part.begin, error.reason, is_file=True)
    if refused > MAX_LISTED:
        yield Record(None, part.end, f"{refused - MAX_LISTED} more lines with problems")


def lines_in(part: FileRange) -> Iterator[Line]:
    """Yield the lines of a range.

    A read error ends the iteration with a line whose `problem` is set. So is that of a line longer than
    `MAX_LINE`, which is skipped, and of the last one of a file that may grow, if it has no newline.

    Raises:
        UnreadableInput: the file cannot be opened, or contains no block lines.
    """
    place, is_open = part.begin, False
    try:
        with open_url(part.url) as file:
            is_open = True
            if file.read(len(GZIP)) == GZIP:
                if part.is_first:
                    file.seek(0)
                    with gzip.GzipFile(fileobj=file) as unpacked:
                        yield from _lines(cast("IO[bytes]", unpacked), 0, None, part)
            elif (begin := _begin_of_line(file, part)) is not None:
                place = begin
                yield from _lines(file, begin, part.end, part)
    except UNPACKING as error:
        yield Line(place, b"", unpacking_problem(error))
    except OSError as error:
        reason = error.strerror or str(error).partition("\n")[0][:200]
        if not is_open:
            raise UnreadableInput(f"cannot be read: {reason}") from None
        yield Line(place, b"", f"the rest of the file cannot be read: {reason}")


def _lines(file: IO[bytes], place: int, end: int | None, part: FileRange) -> Iterator[Line]:
    file.seek(place)
    if part.is_first and place == 0:
        _check(_head(file), is_whole=part.is_last)
        file.seek(0)
    for line in lines_of(file, place) if end is None or place < end else ():
        stop = line.offset + line.size
        if end is not None and stop > end:
            return
        is_whole = line.data.endswith(b"\n") or line.problem or part.is_last
        # Compressed content does not grow.
        yield line if is_whole or end is None else Line(line.offset, b"", UNFINISHED, line.size)
        if stop == end:
            return


def _head(file: IO[bytes]) -> bytes:
    """Return the beginning of a file, as far as it can be decompressed.

    Raises:
        EOFError, zlib.error, gzip.BadGzipFile: nothing can be decompressed.
    """
    buffered = cast("BufferedIOBase", file)
    head = buffered.read1(SNIFF)
    with suppress(*UNPACKING):
        while len(head) < SNIFF and (more := buffered.read1(SNIFF - len(head))):
            head += more
    return head


def _check(head: bytes, *, is_whole: bool) -> None:
    """Check that a file that begins with `head` contains block lines; its first line may be incomplete."""
    # guard: h90-what-is-no-file-of-lines-is-passed-over drop
    #   test_h90_what_is_no_file_of_lines_is_one_problem
    if (is_whole or b"\n" in head) and not holds_lines(head):
        raise UnreadableInput(NO_LINES)


def _begin_of_line(file: IO[bytes], part: FileRange) -> int | None:
    """Return the beginning of the first line that ends in a range; None if no line does."""
    if part.begin == 0:
        return 0
    if not part.is_last and not _has_newline(file, part):
        return None  # a file without newlines is not searched backwards for each of its ranges
    place = part.begin
    while place > 0 and part.begin - place <= MAX_LINE:  # a longer line is refused wherever it is read from
        before = max(0, place - _STEP)
        file.seek(before)
        found = file.read(place - before).rfind(b"\n")
        if found >= 0:
            return before + found + 1
        place = before
    return place


def _has_newline(file: IO[bytes], part: FileRange) -> bool:
    file.seek(part.begin)
    places = range(part.begin, part.end, _STEP)
    return any(b"\n" in file.read(min(_STEP, part.end - place)) for place in places)
