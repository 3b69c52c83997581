"""The exporter: every committed block becomes a line of a file, once.

A folder holds one chain. Its files are named after the height range they hold (`blocks-000000001001.jsonl`
holds 1001 to 2000). Heights come in any order: what was left out is filled in later. A line is written by
one call and is whole or is cut off by the next writer; a height is never there twice. Files that were packed
with gzip since (`.jsonl.gz`) count as they are. The host calls `write` from its commit hook.
"""

from pathlib import Path
from types import TracebackType

from ibc_core.host.block import CommittedBlock
from ibc_indexer.blocks import Block, from_committed
from ibc_indexer.coverage import Heights
from ibc_indexer.errors import ExportConflict
from ibc_indexer.lines import LineHead, encode_line, incarnation_of, parse_head
from ibc_indexer.segment_file import PACKED, SegmentFile, find_block

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
        first_height: of the chain's first block, which tells it from another chain of its id.

    Raises:
        ExportConflict: another chain or incarnation, other content than a line has, or somebody else writes
            to the folder: a node of its own, or another `pyibc export`.
        OSError: the disk says no; what was left of the line is cut off by the next `write`.
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
        self._sizes: dict[str, int] = {}  # of files that are not open: what they have beyond, others wrote
        self._known: dict[str, Heights] = {}  # of files that were read
        folder.mkdir(parents=True, exist_ok=True)
        self._unread = set(self._names())  # files that may end with a torn line
        self._last = self._last_line()
        self._incarnation = self._told_incarnation()

    @property
    def chain_id(self) -> str:
        """The chain in the folder; "" before the first block."""
        return self._last.chain_id if self._last is not None else ""

    @property
    def incarnation(self) -> str:
        """Which chain of this id it is; "" if that is not known."""
        return self._incarnation

    @property
    def last_height(self) -> int:
        """The highest height of a whole line; 0 before the first."""
        return self._last.height if self._last is not None else 0

    @property
    def heights(self) -> Heights:
        """All heights in the folder: reads the files that were not read yet."""
        for name in self._names():
            if name not in self._known:
                self._known[name] = SegmentFile.read(self._folder / name).heights
        return Heights.spanning(each for known in self._known.values() for each in known.ranges)

    def identify(self, incarnation: str) -> None:
        """Tells which chain of its id it is (`lines.incarnation_of`), before its first block is written.

        Raises:
            ExportConflict: the folder holds another.
        """
        if self._incarnation and self._incarnation != incarnation:
            raise self._conflict(self._last, f"it is {incarnation}, the folder holds {self._incarnation}")
        self._incarnation = incarnation

    def block_at(self, height: int) -> Block | None:
        """The block of `height`; None if it is not in the folder, or cannot be read."""
        return find_block(self._folder / segment_name(height, self._per_file), height)

    def write(self, block: CommittedBlock) -> bool:
        """Appends `block`; False if it is there already (a host that replays its tip)."""
        known = from_committed(block)
        key = incarnation_of(known) if known.height == self._first else self._incarnation
        line = encode_line(known._replace(incarnation=key))
        head = parse_head(line)
        self._check(head)
        segment = self._select(segment_name(head.height, self._per_file))
        if not segment.is_alone():
            raise self._conflict(head, "somebody else writes to the folder")
        digest = segment.digests.get(head.height)
        if digest is not None and digest != head.digest:
            raise self._conflict(head, "the folder has other content for it")
        if digest is None:
            self._append(segment, line, head)
        self._incarnation = key
        return digest is None

    def close(self) -> None:
        """Closes the open file; `write` opens it again."""
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
            raise self._conflict(head, f"the folder holds {self._last.chain_id}")
        # guard: h93-a-chain-started-anew-is-mixed-in drop
        #   test_h93_a_chain_started_anew_is_refused_and_changes_nothing
        if self._incarnation and head.incarnation != self._incarnation:
            raise self._conflict(head, f"the chain was started anew, the folder holds {self._incarnation}")

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
        segment = SegmentFile.read(self._folder / name)
        segment.open(expected)
        self._open = segment
        return segment

    def _forget(self, segment: SegmentFile) -> None:
        """The file is read anew, and what is torn in it cut off, before the next line."""
        segment.close()
        self._open = None
        self._unread.add(segment.path.name)
        self._sizes.pop(segment.path.name, None)
        self._known.pop(segment.path.name, None)

    def _names(self) -> list[str]:
        """Of all files, by height; some may have been packed since."""
        plain = {path.name for path in self._folder.glob("blocks-*.jsonl")}
        packed = {path.name.removesuffix(PACKED) for path in self._folder.glob(f"blocks-*.jsonl{PACKED}")}
        return sorted(plain | packed, key=lambda name: (len(name), name))

    def _last_line(self) -> LineHead | None:
        for name in reversed(self._names()):
            segment = SegmentFile.read(self._folder / name)
            self._known[name] = segment.heights
            if segment.last is not None:
                return segment.last
        return None

    def _told_incarnation(self) -> str:
        if self._last is None or self._last.incarnation:
            return self._last.incarnation if self._last is not None else ""
        first = self.block_at(self._first)
        return incarnation_of(first) if first is not None else ""

    def _conflict(self, head: LineHead | None, reason: str) -> ExportConflict:
        chain, height = (head.chain_id, head.height) if head is not None else ("", 0)
        return ExportConflict(chain, height, f"{reason} (last height {self.last_height})")
