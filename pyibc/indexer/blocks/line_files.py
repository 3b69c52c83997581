"""Reader of block line files, plain or gzip-compressed; the format is detected by content."""

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple, cast

from pyibc.indexer.blocks.lines import MAGIC, MAX_LINE, LineHead, parse_head
from pyibc.indexer.errors import MalformedLine

GZIP = b"\x1f\x8b"
SNIFF = 1 << 20  # bytes read to detect the format of a file
UNPACKING = (EOFError, zlib.error, gzip.BadGzipFile)
"""Errors of reading compressed content."""
_PASSED = 1 << 18  # bytes read at once while skipping a line that is too long


class Line(NamedTuple):
    """Line of a file."""

    offset: int  # of its first byte in the uncompressed file
    data: bytes  # with the newline; b"" if the line was not read
    problem: str = ""  # reason why the line was not read
    passed: int = 0  # bytes that were skipped

    @property
    def size(self) -> int:
        """Size of the line in the uncompressed file, in bytes."""
        return len(self.data) + self.passed

    def head(self) -> LineHead:
        """Parse the fields before the JSON document.

        Raises:
            MalformedLine: the line was not read, or is not a block line.
        """
        if self.problem:
            raise MalformedLine(self.problem)
        return parse_head(self.data)


def unpacked_head(head: bytes) -> bytes:
    """Return the beginning of a file uncompressed; nothing if it cannot be decompressed."""
    if not head.startswith(GZIP):
        return head
    try:
        return zlib.decompressobj(wbits=31).decompress(head, SNIFF)
    except zlib.error:
        return b""


def holds_lines(head: bytes) -> bool:
    """Return whether a file that begins with `head` contains block lines; the first line may be damaged."""
    return head.startswith(MAGIC) or b"\n" + MAGIC in head


def unpacking_problem(error: Exception) -> str:
    """Return why the rest of a compressed file cannot be read, for one of the errors `UNPACKING`."""
    if isinstance(error, EOFError):
        return "the gzip file is cut off here"
    return f"the rest of the file cannot be decompressed: {str(error)[:100]}"


def read_lines(path: Path) -> Iterator[Line]:
    """Yield the lines of a file.

    A read error ends the iteration with a line whose `problem` is set. So is that of a line longer than
    `MAX_LINE`, which is skipped.
    """
    place = 0
    try:
        with path.open("rb") as file, unpacked(file) as content:
            for line in lines_of(content, 0):
                place = line.offset + line.size
                yield line
    except UNPACKING as error:
        yield Line(place, b"", unpacking_problem(error))
    except OSError as error:
        what = "the rest of the file " if place else ""
        yield Line(place, b"", f"{what}cannot be read: {error.strerror}")


def lines_of(file: IO[bytes], place: int) -> Iterator[Line]:
    """Yield the lines of uncompressed content, which is open at `place`; long ones are skipped."""
    while data := file.readline(MAX_LINE + 1):
        line = Line(place, data)
        if len(data) > MAX_LINE:
            size = len(data) + _pass_over(file, data)
            line = Line(place, b"", f"the line is longer than {MAX_LINE} bytes", size)
        yield line
        place += line.size


def _pass_over(file: IO[bytes], data: bytes) -> int:
    """Skip the rest of the line that `data` begins; return the number of bytes skipped."""
    passed = 0
    while data and not data.endswith(b"\n"):
        data = file.readline(_PASSED)
        passed += len(data)
    return passed


@contextmanager
def unpacked(file: IO[bytes]) -> Iterator[IO[bytes]]:
    """Yield the uncompressed content of an open file.

    Reading it may raise OSError, EOFError and zlib.error.
    """
    is_compressed = file.read(len(GZIP)) == GZIP
    file.seek(0)
    if not is_compressed:
        yield file
        return
    with gzip.GzipFile(fileobj=file) as content:
        yield cast("IO[bytes]", content)
