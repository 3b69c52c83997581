"""What folders of block lines hold: the whole lines once each, and a reason for every other one.

Scanning reads checksums, not JSON, so the driver stays far ahead of the workers that parse. Its result
is a list of byte ranges that workers read without looking at each other.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from ibc_indexer.errors import MalformedLine
from ibc_indexer.lines import LineHead, parse_head

RANGE_BYTES = 8 << 20  # a worker's unit of work


class Skipped(NamedTuple):
    """A file, or a part of it, that was not indexed."""

    file: str
    reason: str


class ByteRange(NamedTuple):
    """Whole lines of one chain that stand together in a file."""

    file: str
    offset: int
    length: int
    chain_id: str
    first: int  # lowest height in it
    last: int  # highest


class Scan(NamedTuple):
    """The lines to read, and what is wrong with the others."""

    ranges: list[ByteRange]
    skipped: list[Skipped]


class _Seen:
    """Which blocks were found so far, so that each counts once."""

    def __init__(self) -> None:
        self._heads: dict[tuple[str, int], LineHead] = {}

    def is_new(self, head: LineHead) -> bool:
        """Whether the line is the first of its height; False for a copy.

        Raises:
            MalformedLine: the height was read before with other content.
        """
        before = self._heads.setdefault((head.chain_id, head.height), head)
        if before is head:
            return True
        if before.digest != head.digest and not (head.partial and not before.partial):
            raise MalformedLine(f"{head.chain_id} {head.height} was read before with other content")
        return False


class _Ranges:
    """Joins neighbouring lines of one chain into ranges."""

    def __init__(self, file: str) -> None:
        self._file = file
        self.done: list[ByteRange] = []
        self._open: ByteRange | None = None

    def add(self, head: LineHead, offset: int, length: int) -> None:
        """Takes one more whole line."""
        now = self._open
        if (
            now is None
            or now.chain_id != head.chain_id
            or now.offset + now.length != offset
            or now.length >= RANGE_BYTES
        ):
            self.close()
            self._open = ByteRange(self._file, offset, length, head.chain_id, head.height, head.height)
            return
        first, last = min(now.first, head.height), max(now.last, head.height)
        self._open = now._replace(length=now.length + length, first=first, last=last)

    def close(self) -> None:
        """Ends the range under way."""
        if self._open is not None:
            self.done.append(self._open)
        self._open = None


def scan(files: Iterable[Path]) -> Scan:
    """Reads the heads of all lines of `files`, in the order given: the first record of a height wins."""
    seen, ranges, skipped = _Seen(), list[ByteRange](), list[Skipped]()
    for file in files:
        found = _Ranges(str(file))
        for offset, line in lines_of(file):
            try:
                head = parse_head(line)
                if seen.is_new(head):
                    found.add(head, offset, len(line))
            except MalformedLine as error:
                skipped.append(Skipped(str(file), f"line at byte {offset}: {error.reason}"))
        found.close()
        ranges += found.done
    return Scan(ranges, skipped)


def export_files(paths: Iterable[Path]) -> list[Path]:
    """The block files among `paths`, folders searched to any depth, in a fixed order."""
    files = list[Path]()
    for path in paths:
        files += sorted(p for p in path.rglob("*.jsonl") if p.is_file()) if path.is_dir() else [path]
    return files


def lines_of(file: Path) -> Iterator[tuple[int, bytes]]:
    """The lines of a file, each with its offset; the last may lack its newline."""
    offset = 0
    with file.open("rb") as lines:
        for line in lines:
            yield offset, line
            offset += len(line)
