"""Files of block lines, plain or packed with gzip, told by content: whoever reads them reads them alike."""

import gzip
import os
import stat
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple, cast

from ibc_indexer.errors import MalformedLine, UnreadableInput
from ibc_indexer.lines import MAGIC, MAX_LINE, LineHead, parse_head
from ibc_indexer.storage.locations import Location
from ibc_indexer.storage.objects import ObjectPath

GZIP = b"\x1f\x8b"
_SNIFF = 1 << 20  # bytes read to tell what a file is
_PASSED = 1 << 18  # bytes of a line too long that are read at once


class Line(NamedTuple):
    """What stands between two newlines of a file."""

    offset: int  # bytes before it, unpacked
    data: bytes  # newline included; b"" where `problem` says why it was not read
    problem: str = ""
    passed: int = 0  # bytes that were not kept

    @property
    def size(self) -> int:
        """Its bytes in the file."""
        return len(self.data) + self.passed

    def head(self) -> LineHead:
        """What it says before its JSON; raises MalformedLine."""
        if self.problem:
            raise MalformedLine(self.problem)
        return parse_head(self.data)


class Sorted(NamedTuple):
    """Files that hold block lines, and why the others were not taken."""

    files: list[Location]
    refused: list[tuple[Location, str]]


def sniff(path: Location) -> bytes:
    """The beginning of a file, unpacked.

    Raises:
        UnreadableInput: it cannot be read.
    """
    try:
        with path.open("rb") as file:
            head = file.read(_SNIFF)
    except OSError as error:
        raise UnreadableInput(f"cannot be read: {error.strerror}") from None
    if not head.startswith(GZIP):
        return head
    try:
        return zlib.decompressobj(wbits=31).decompress(head, _SNIFF)
    except zlib.error:
        return b""


def holds_lines(head: bytes) -> bool:
    """Whether a file that begins with `head` is one of block lines; the first may be damaged."""
    return head.startswith(MAGIC) or b"\n" + MAGIC in head


def is_unfilled(path: Location, head: bytes) -> bool:
    """Whether an exporter was ended between making a file and writing its first line."""
    return not head and path.name.startswith("blocks-") and path.suffix == ".jsonl"


def sort_files(paths: Iterable[Location]) -> Sorted:
    """Looks into the files among `paths`, folders searched to any depth, in a fixed order."""
    found = Sorted([], [])
    for path in files_in(paths):
        try:
            head = sniff(path)
        except UnreadableInput as error:
            found.refused.append((path, error.reason))
            continue
        if holds_lines(head) or is_unfilled(path, head):
            found.files.append(path)
        else:
            found.refused.append((path, "holds no block lines"))
    return found


def files_in(paths: Iterable[Location]) -> Iterator[Location]:
    """The files among `paths`, folders searched to any depth, in a fixed order.

    What looks like a file and cannot be read is among them: folders that cannot be listed, links
    that lead nowhere, links to folders, which are not followed. Who opens them says so. Of a bucket's objects
    those of size 0 are left out: they stand for folders.

    Raises:
        StorageFault: a bucket cannot be listed.
    """
    for path in paths:
        if isinstance(path, ObjectPath):
            yield from list(path.files()) or [path]
        else:
            yield from sorted(_below(path)) if path.is_dir() else [path]


def _below(folder: Path) -> Iterator[Path]:
    refused = list[Path]()
    for place, folders, names in os.walk(folder, onerror=lambda error: refused.append(Path(error.filename))):
        here = Path(place)
        yield from (here / name for name in folders if (here / name).is_symlink())
        yield from (here / name for name in names if _is_file_or_lost(here / name))
    yield from refused


def _is_file_or_lost(path: Path) -> bool:
    """Whether it is a file, or a link to nothing; pipes and sockets are neither."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except OSError:
        return True


def read_lines(path: Location, offset: int = 0, length: int | None = None) -> Iterator[Line]:
    """The lines of a file, or those in `length` bytes behind `offset`.

    What ends the reading before the file's end is told by a last line with a problem; so is a line too long
    to be kept.
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
                    size = len(data) + _pass_over(file, data)
                    yield Line(place, b"", f"it is longer than {MAX_LINE} bytes", size)
                else:
                    size = len(data)
                    yield Line(place, data)
                place += size
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        yield Line(place, b"", f"what follows cannot be unpacked: {str(error)[:100]}")
    except OSError as error:
        yield Line(place, b"", f"what follows cannot be read: {error.strerror}")


def is_packed(path: Location) -> bool:
    """Whether a file is packed with gzip; raises OSError."""
    with path.open("rb") as file:
        return file.read(len(GZIP)) == GZIP


def _pass_over(file: IO[bytes], data: bytes) -> int:
    """Reads to the end of the line that `data` begins; returns how many bytes that were."""
    passed = 0
    while data and not data.endswith(b"\n"):
        data = file.readline(_PASSED)
        passed += len(data)
    return passed


@contextmanager
def open_unpacked(path: Location) -> Iterator[IO[bytes]]:
    """A file's content; raises OSError, and while it is read EOFError and zlib.error."""
    with path.open("rb") as file:
        if file.read(len(GZIP)) != GZIP:
            file.seek(0)
            yield file
            return
        file.seek(0)
        with gzip.GzipFile(fileobj=file) as unpacked:
            yield cast("IO[bytes]", unpacked)
