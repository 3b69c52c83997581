"""A file of block lines into a segment: each line checked and decoded once."""

from collections import Counter
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

from ibc_indexer.block_files import Line, is_packed, read_lines
from ibc_indexer.blocks import Block
from ibc_indexer.calls.rows import call_rows
from ibc_indexer.chain_rows import FACTS, chain_rows
from ibc_indexer.coverage import Heights
from ibc_indexer.errors import MalformedLine
from ibc_indexer.lines import LineHead, decode_line
from ibc_indexer.names.told import Telling
from ibc_indexer.packets import PacketEvent, packet_events
from ibc_indexer.rows import PROBLEM, count_events, rows_of
from ibc_indexer.scan import Problems, Skipped, differ
from ibc_indexer.segments.manifest import VERSION, ChainPart, Manifest, Source
from ibc_indexer.segments.numbers import number_of
from ibc_indexer.segments.writer import SegmentWriter
from ibc_indexer.storage.locations import Location
from ibc_indexer.transfers.rows import transfer_rows

Place = tuple[str, int]  # chain (`ChainKey` as text), height
_PIECE = 1 << 20  # bytes of which a checksum is taken at once
_ALL = 1 << 63


class Span(NamedTuple):
    """The bytes of a file that are sealed; of a packed file all of them."""

    path: Location
    offset: int = 0
    length: int | None = None  # None: to the file's end
    after: str = ""  # the atom before it


def seal_lines(span: Span, folder: Path, stem: str, without: Collection[Place]) -> Manifest:
    """Writes the segment of `span`; its manifest is for the caller to write.

    Args:
        span: of a file of block lines, packed with gzip or plain; an exporter's ascend, which makes for good
            pruning by height.
        folder: where the segment's files go.
        stem: what their names begin with, and what its source is called from now on.
        without: blocks that are left out: another file holds them and comes first.

    Raises:
        OSError: a file cannot be read or written.
    """
    superseded = frozenset[Place]()
    while True:
        with SegmentWriter(folder, stem) as writer:
            sealed = _Sealed(span.path, writer, without, superseded)
            source = sealed.take_all(span, stem)
            if not sealed.superseded:
                return sealed.manifest(source)
        superseded = frozenset(sealed.superseded)  # the second reading leaves these parts out


def contradiction(chosen: LineHead, other: LineHead) -> str:
    """Why another record of a block is refused; "": it says the same, or less of it."""
    if not differ(chosen, other):
        return ""
    return f"{other.chain_id} {other.height} was read before with other content"


def left_out(places: Collection[Place]) -> str:
    """What stands for a set of blocks that are left out; "" for none."""
    if not places:
        return ""
    return f"{number_of(*(f'{chain} {height}' for chain, height in sorted(places))) & (1 << 64) - 1:016x}"


def checksum_of(path: Location, offset: int = 0, length: int | None = None) -> int:
    """The CRC-32 of a file, or of `length` bytes of it; of fewer if it ends before.

    Raises:
        OSError: it cannot be read.
    """
    checksum, left = 0, _ALL if length is None else length
    with path.open("rb") as file:
        file.seek(offset)
        while piece := file.read(min(left, _PIECE)):
            checksum, left = crc32(piece, checksum), left - len(piece)
    return checksum


class _Sealed:
    """A segment under way."""

    def __init__(
        self,
        path: Location,
        writer: SegmentWriter,
        without: Collection[Place],
        superseded: Collection[Place],
    ) -> None:
        self._path, self._writer, self._without = path, writer, without
        self._superseded = superseded
        self.superseded = set[Place]()
        """Parts of blocks that were taken before the whole block came in the same file."""
        self._seen: dict[Place, LineHead] = {}
        self._problems = Problems()
        self._malformed: list[Skipped] = []  # events
        self._counts = Counter[str]()
        self._known: dict[str, list[int]] = {}
        self._part: dict[str, list[int]] = {}
        self._lost: dict[str, list[int]] = {}
        self._times: dict[str, int] = {}
        self._told = Telling()

    def take_all(self, span: Span, atom: str) -> Source:
        """Takes every line; returns what was read, to be called `atom`."""
        path, offset = span.path, span.offset
        before = path.stat()
        length = before.st_size - offset if span.length is None else span.length
        checksum, size, torn = 0, 0, False
        for line in read_lines(path, offset, None if is_packed(path) else length):
            checksum, size = crc32(line.data, checksum), size + len(line.data)
            torn = not line.data.endswith(b"\n")
            self._take(line)
        if size != length:  # packed, with lines that were passed over, or with more in the last one by now
            checksum = checksum_of(path, offset, length)
            torn = True
        out = left_out(self._without)
        return Source(str(path), offset, length, before.st_mtime_ns, checksum, atom, span.after, torn, out)

    def _take(self, line: Line) -> None:
        """Checks and decodes a line and writes its rows; of a height the first whole record counts."""
        try:
            head = line.head()
        except MalformedLine as error:
            self._problems.add(str(self._path), line.offset, error.reason)
            return
        place = (str(head.chain), head.height)
        if place in self._without or (head.partial and place in self._superseded):
            return
        first = self._seen.setdefault(place, head)
        if first is not head:
            if first.partial and not head.partial:
                self.superseded.add(place)
            elif reason := contradiction(first, head):
                self._problems.add(str(self._path), line.offset, reason)
            return
        try:
            block = decode_line(line.data)
        except MalformedLine as error:
            del self._seen[place]  # a copy of it may be well
            self._problems.add(str(self._path), line.offset, error.reason)
            self._lost.setdefault(place[0], []).append(head.height)
        else:
            self._write(head, block._replace(chain_id=place[0]), line)

    def _write(self, head: LineHead, block: Block, line: Line) -> None:
        self._counts.update(count_events(block))
        events = list(packet_events(block))
        rows = list(rows_of(block, str(self._path), everything=True, events=events))
        packets = [row for row in rows if row.sequence is not None]
        self._writer.add(packets)
        beside = chain_rows(block, str(self._path))
        read = [event for event in events if isinstance(event, PacketEvent)]
        for role, found in (beside.rows | transfer_rows(block, read) | call_rows(block, read)).items():
            if found:
                self._writer.add_to(role, found)
        self._told.take(block.chain_id, block.height, beside.facts, packets)
        problems = [*(row for row in rows if row.type == PROBLEM), *beside.problems]
        self._malformed += [Skipped(row.file or "", row.detail or "") for row in problems]
        known = self._part if head.partial else self._known
        known.setdefault(block.chain_id, []).append(head.height)
        if block.time_ns is not None:
            self._times[block.chain_id] = max(block.time_ns, self._times.get(block.chain_id, 0))
        known_hash = block.app_hash.hex() or None
        place = (known_hash, head.digest, head.partial, line.offset, len(line.data))
        self._writer.add_block(block.chain_id, head.height, block.time_ns, len(block.txs), *place)

    def manifest(self, source: Source) -> Manifest:
        """What was written."""
        self._writer.add_to(FACTS, self._told.channels())
        files = self._writer.done()
        chains = sorted({*self._known, *self._part, *self._lost})
        return Manifest(
            version=VERSION,
            sources=[source],
            blocks=True,
            chains={chain: self._part_of(chain) for chain in chains},
            counts=dict(sorted(self._counts.items())),
            ends=self._writer.ends,
            told=self._told.done(),
            names=self._writer.names,
            rows=self._writer.rows,
            problems=[*self._problems.all(), *self._malformed],
            files=files,
        )

    def _part_of(self, chain: str) -> ChainPart:
        known, part, lost = (
            Heights.of(found.get(chain, ())).ranges for found in (self._known, self._part, self._lost)
        )
        return ChainPart(known, part, lost, self._times.get(chain))
