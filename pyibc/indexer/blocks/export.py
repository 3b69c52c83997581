"""Block exporter: appends every committed block as one line to a file.

A folder contains the blocks of one chain. Each file is named after the first height of its range
(`blocks-000000001001.jsonl` covers 1001 to 2000). Heights may arrive in any order, so gaps can be filled
later; no height is written twice. A line is written by one call; the next writer truncates a torn line. Files
that were compressed with gzip since (`.jsonl.gz`) are read too. The host calls `write` from its commit hook.
"""

import contextlib
import errno
import os
from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from types import TracebackType

from pyibc.core.host.block import CommittedBlock
from pyibc.indexer.blocks.block import Block, from_committed
from pyibc.indexer.blocks.coverage import Heights
from pyibc.indexer.blocks.line_files import Line, read_lines
from pyibc.indexer.blocks.lines import LineHead, decode_line, encode_line, incarnation_of, parse_head
from pyibc.indexer.errors import ExportConflict, MalformedLine

PACKED = ".gz"
_CLOSED = -1

BLOCKS_PER_FILE = 1000


class SegmentFile:
    """Intact lines of an export file, and the open file during appending."""

    def __init__(self, path: Path) -> None:
        """Read a file and its compressed counterpart without changing them.

        Raises:
            OSError: a file cannot be read.
        """
        self.path = path
        self.digests: dict[int, str] = {}  # by height
        self.heights = Heights()
        self.last: LineHead | None = None  # head of the line with the highest height
        self.size = 0  # bytes up to the end of the last complete line
        self._file = _CLOSED
        self._take_all()

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

    def _take_all(self) -> None:
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


def segment_name(height: int, blocks_per_file: int = BLOCKS_PER_FILE) -> str:
    """Return the name of the file that contains `height`."""
    first = (height - 1) // blocks_per_file * blocks_per_file + 1
    return f"blocks-{first:012d}.jsonl"


class BlockExporter:
    """Exporter of the blocks of one chain into a folder.

    Args:
        folder: created if absent; must not contain another chain.
        blocks_per_file: number of heights per file.
        sync: whether to flush each block to the disk. Otherwise a block survives a crash of the process but
            not of the machine; a torn line is detected by its checksum in any case.
        first_height: height of the chain's first block, which distinguishes chains with the same id.

    Raises:
        ExportConflict: the folder has another chain or incarnation or other content for a height, or another
            process writes to it, such as a node or another `pyibc export`.
        OSError: writing failed; the next `write` truncates the torn line.
    """

    def __init__(
        self,
        folder: Path,
        *,
        blocks_per_file: int = BLOCKS_PER_FILE,
        sync: bool = False,
        first_height: int = 1,
    ) -> None:
        self._folder = folder
        self._per_file = blocks_per_file
        self._sync = sync
        self._first = first_height
        self._open: SegmentFile | None = None
        self._sizes: dict[str, int] = {}  # of closed files, to detect writes by other processes
        self._known: dict[str, Heights] = {}  # heights in the files that were read
        folder.mkdir(parents=True, exist_ok=True)
        self._unread = set(self._names())  # files that may end with a torn line
        self._last = self._last_line()
        self._incarnation = self._exported_incarnation()

    @property
    def chain_id(self) -> str:
        """Id of the chain in the folder; "" before the first block."""
        return self._last.chain_id if self._last is not None else ""

    @property
    def incarnation(self) -> str:
        """Incarnation of the chain (`lines.incarnation_of`); "" if not known."""
        return self._incarnation

    @property
    def last_height(self) -> int:
        """Highest height with an intact line; 0 before the first."""
        return self._last.height if self._last is not None else 0

    @property
    def heights(self) -> Heights:
        """All heights in the folder; reads the files that were not read yet."""
        for name in self._names():
            if name not in self._known:
                self._known[name] = SegmentFile(self._folder / name).heights
        return Heights.spanning(each for known in self._known.values() for each in known.ranges)

    def identify(self, incarnation: str) -> None:
        """Set the incarnation of the chain (`lines.incarnation_of`) before its first block is written.

        Raises:
            ExportConflict: the folder contains another incarnation.
        """
        if self._incarnation and self._incarnation != incarnation:
            reason = f"the chain is incarnation {incarnation}, the folder contains {self._incarnation}"
            raise self._conflict(self._last, reason)
        self._incarnation = incarnation

    def block_at(self, height: int) -> Block | None:
        """Return the block at `height`; None if it is not in the folder or cannot be read."""
        return find_block(self._folder / segment_name(height, self._per_file), height)

    def write(self, block: CommittedBlock) -> bool:
        """Append `block`; return False if the folder has it already, as after a replay by the host."""
        known = from_committed(block)
        key = incarnation_of(known) if known.height == self._first else self._incarnation
        line = encode_line(known._replace(incarnation=key))
        head = parse_head(line)
        self._check(head)
        segment = self._select(segment_name(head.height, self._per_file))
        if not segment.is_alone():
            raise self._conflict(head, "another process writes to the folder")
        digest = segment.digests.get(head.height)
        if digest is not None and digest != head.digest:
            raise self._conflict(head, "the folder has other content for this height")
        if digest is None:
            self._append(segment, line, head)
        self._incarnation = key
        return digest is None

    def close(self) -> None:
        """Close the open file; `write` reopens it."""
        if self._open is not None:
            self._sizes[self._open.path.name] = self._open.size
            self._known[self._open.path.name] = self._open.heights
            self._open.close()
        self._open = None

    def __enter__(self) -> "BlockExporter":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _check(self, head: LineHead) -> None:
        if self._last is not None and head.chain_id != self._last.chain_id:
            raise self._conflict(head, f"the folder contains {self._last.chain_id}")
        # guard: h93-a-chain-started-anew-is-mixed-in drop
        #   test_h93_a_chain_started_anew_is_refused_and_changes_nothing
        if self._incarnation and head.incarnation != self._incarnation:
            reason = f"the chain was restarted from genesis, the folder contains {self._incarnation}"
            raise self._conflict(head, reason)

    def _append(self, segment: SegmentFile, line: bytes, head: LineHead) -> None:
        try:
            segment.append(line, head, sync=self._sync)
        except OSError:
            self._forget(segment)
            raise
        if self._last is None or head.height > self._last.height:
            self._last = head
        self._known[segment.path.name] = segment.heights

    def _select(self, name: str) -> SegmentFile:
        if self._open is not None and self._open.path.name == name:
            return self._open
        self.close()
        self._folder.mkdir(parents=True, exist_ok=True)
        expected = self._sizes.get(name, None if name in self._unread else 0)
        segment = SegmentFile(self._folder / name)
        segment.open(expected)
        self._open = segment
        return segment

    def _forget(self, segment: SegmentFile) -> None:
        """Drop cached data of a file, so that the next write rereads it and truncates a torn line."""
        segment.close()
        self._open = None
        self._unread.add(segment.path.name)
        self._sizes.pop(segment.path.name, None)
        self._known.pop(segment.path.name, None)

    def _names(self) -> list[str]:
        """Return the names of all files by height, without the suffix of compressed ones."""
        plain = {path.name for path in self._folder.glob("blocks-*.jsonl")}
        packed = {path.name.removesuffix(PACKED) for path in self._folder.glob(f"blocks-*.jsonl{PACKED}")}
        return sorted(plain | packed, key=lambda name: (len(name), name))

    def _last_line(self) -> LineHead | None:
        for name in reversed(self._names()):
            segment = SegmentFile(self._folder / name)
            self._known[name] = segment.heights
            if segment.last is not None:
                return segment.last
        return None

    def _exported_incarnation(self) -> str:
        if self._last is None or self._last.incarnation:
            return self._last.incarnation if self._last is not None else ""
        first = self.block_at(self._first)
        return incarnation_of(first) if first is not None else ""

    def _conflict(self, head: LineHead | None, reason: str) -> ExportConflict:
        chain, height = (head.chain_id, head.height) if head is not None else ("", 0)
        return ExportConflict(chain, height, f"{reason} (last height {self.last_height})")
