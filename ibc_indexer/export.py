"""The exporter: every committed block becomes a line of a file, once.

A folder holds one chain. Its files are named after the height range they hold (`blocks-000000001001.jsonl`
holds 1001 to 2000). A line is written by one call and is whole or is cut off by the next start; a height is
never there twice. The host calls `write` from its commit hook.
"""

import contextlib
import os
from pathlib import Path
from types import TracebackType

from ibc_core.host.block import CommittedBlock
from ibc_indexer.blocks import from_committed
from ibc_indexer.errors import ExportConflict, MalformedLine
from ibc_indexer.lines import LineHead, encode_line, parse_head

BLOCKS_PER_FILE = 1000


def segment_name(height: int, blocks_per_file: int = BLOCKS_PER_FILE) -> str:
    """The file that holds `height`: named after the first height of its range."""
    first = (height - 1) // blocks_per_file * blocks_per_file + 1
    return f"blocks-{first:012d}.jsonl"


class BlockExporter:
    """Appends blocks of one chain to a folder.

    Args:
        folder: made if absent; holds this chain alone.
        blocks_per_file: how many heights one file covers.
        sync: whether each block is flushed to the disk. Without it a block survives the end of the
            process, not that of the machine; a cut line is found by its checksum either way.

    Raises:
        ExportConflict: (by `write`) another chain, a height below the last one, other content, or
            somebody else writes to the folder: a node of its own, or another `pyibc export`.
        OSError: the disk says no.
    """

    def __init__(self, folder: Path, *, blocks_per_file: int = BLOCKS_PER_FILE, sync: bool = False) -> None:
        self._folder = folder
        self._per_file = blocks_per_file
        self._sync = sync
        self._file = -1
        self._open_name = ""
        self._size = 0  # of the open file: what it has beyond that, somebody else wrote
        self._sizes: dict[str, int] = {}  # of files that are not open
        folder.mkdir(parents=True, exist_ok=True)
        self._last = self._recover()

    @property
    def last_height(self) -> int:
        """The height of the last whole line; 0 before the first."""
        return self._last.height if self._last is not None else 0

    def write(self, block: CommittedBlock) -> bool:
        """Appends `block`; False if it is the last one again (a host that replays its tip)."""
        line = encode_line(from_committed(block))
        head = parse_head(line)
        if self._last is not None and not self._follows(head, self._last):
            return False
        self._select(segment_name(head.height, self._per_file))
        self._size = _append(self._file, self._size, line, head)
        if self._sync:
            os.fsync(self._file)
        self._last = head
        return True

    def close(self) -> None:
        """Closes the open file; `write` opens it again."""
        if self._file >= 0:
            os.close(self._file)
            self._sizes[self._open_name] = self._size
        self._file, self._open_name = -1, ""

    def __enter__(self) -> "BlockExporter":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _follows(self, head: LineHead, last: LineHead) -> bool:
        if head.chain_id != last.chain_id:
            raise ExportConflict(head.chain_id, head.height, f"the folder holds {last.chain_id}")
        if head.height > last.height:
            return True
        if head == last:
            return False
        reason = (
            "the folder has other content for it" if head.height == last.height else "it was passed before"
        )
        raise ExportConflict(head.chain_id, head.height, f"{reason} (last height {last.height})")

    def _select(self, name: str) -> None:
        if name == self._open_name:
            return
        self.close()
        self._file = os.open(self._folder / name, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        self._open_name = name
        self._size = self._sizes.pop(name, 0)

    def _recover(self) -> LineHead | None:
        for path in sorted(self._folder.glob("blocks-*.jsonl"), reverse=True):
            head, self._sizes[path.name] = _cut_torn_tail(path)
            if head is not None:
                return head
        return None


def _append(file: int, size: int, line: bytes, head: LineHead) -> int:
    """Appends `line` to a file of `size` bytes, or nothing; returns its size then.

    What a full disk left of the line is taken back.
    """
    if os.fstat(file).st_size != size:
        raise ExportConflict(head.chain_id, head.height, "somebody else writes to the folder")
    try:
        written = os.write(file, line)
        while written < len(line):  # a full disk or a signal may take only a part
            written += os.write(file, line[written:])
    except OSError:
        os.ftruncate(file, size)
        raise
    return size + len(line)


def _cut_torn_tail(path: Path) -> tuple[LineHead | None, int]:
    """Cuts `path` behind its last whole line; returns the head of that line, and the size then."""
    position, end, head = 0, 0, None
    with path.open("r+b") as file:
        for line in file:
            position += len(line)
            with contextlib.suppress(MalformedLine):  # one in the middle stays: readers report it
                head = parse_head(line)
                end = position
        file.truncate(end)
    return head, end
