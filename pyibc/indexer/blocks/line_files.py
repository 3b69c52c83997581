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


def read_lines(path: Path, offset: int = 0, length: int | None = None) -> Iterator[Line]:
    """Yield the lines of a file, or those in `length` bytes from `offset`.

    A read error ends the iteration with a line whose `problem` is set. So is that of a line longer than
    `MAX_LINE`, which is skipped.
    """
    place, end = offset, None if length is None else offset + length
    try:
        with open_unpacked(path) as file:
            file.seek(offset)
            while end is None or place < end:
                data = file.readline(MAX_LINE + 1)
                if not data:
                    return
                if len(data) > MAX_LINE:
                    size = len(data) + pass_over(file, data)
                    yield Line(place, b"", f"the line is longer than {MAX_LINE} bytes", size)
                else:
                    size = len(data)
                    yield Line(place, data)
                place += size
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        yield Line(place, b"", f"the rest of the file cannot be decompressed: {str(error)[:100]}")
    except OSError as error:
        yield Line(place, b"", f"the rest of the file cannot be read: {error.strerror}")


def pass_over(file: IO[bytes], data: bytes) -> int:
    """Skip the rest of the line that `data` begins; return the number of bytes skipped."""
    passed = 0
    while data and not data.endswith(b"\n"):
        data = file.readline(_PASSED)
        passed += len(data)
    return passed


@contextmanager
def open_unpacked(path: Path) -> Iterator[IO[bytes]]:
    """Open the uncompressed content of a file.

    Raises:
        OSError: the file cannot be opened or read. Reading may also raise EOFError and zlib.error.
    """
    with path.open("rb") as file, unpacked(file) as content:
        yield content


@contextmanager
def unpacked(file: IO[bytes]) -> Iterator[IO[bytes]]:
    """Yield the uncompressed content of an open file; reading it raises the errors of `open_unpacked`."""
    is_compressed = file.read(len(GZIP)) == GZIP
    file.seek(0)
    if not is_compressed:
        yield file
        return
    with gzip.GzipFile(fileobj=file) as content:
        yield cast("IO[bytes]", content)
