"""Sealing of a file of block lines: checks and decodes each line once."""

from collections import Counter
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

from pyibc.indexer.block_files import Line, is_packed, read_lines
from pyibc.indexer.blocks import Block
from pyibc.indexer.calls.rows import call_rows
from pyibc.indexer.chain_rows import FACTS, chain_rows
from pyibc.indexer.coverage import Heights
from pyibc.indexer.errors import MalformedLine
from pyibc.indexer.lines import LineHead, decode_line
from pyibc.indexer.names.told import FactCollector
from pyibc.indexer.packets import PacketEvent, packet_events
from pyibc.indexer.problems import Problems, Skipped
from pyibc.indexer.rows import PROBLEM, count_events, rows_of
from pyibc.indexer.segments.manifest import VERSION, ChainPart, Manifest, Source
from pyibc.indexer.segments.numbers import number_of
from pyibc.indexer.segments.writer import SegmentWriter
from pyibc.indexer.storage.checksums import checksum_of
from pyibc.indexer.storage.locations import Location
from pyibc.indexer.transfers.rows import transfer_rows

Place = tuple[str, int]  # chain (`ChainKey` as text), height


class Span(NamedTuple):
    """Bytes of a file to seal; a compressed file is always sealed as a whole."""

    path: Location
    offset: int = 0
    length: int | None = None  # None: to the end of the file
    after: str = ""  # atom of the preceding bytes


class Changed(NamedTuple):
    """Differences of a segment from the lines of its source."""

    without: frozenset[Place] = frozenset()  # blocks to leave out, because an earlier file contains them
    renamed: frozenset[tuple[str, str]] = frozenset()  # chains of another incarnation than the lines say

    @property
    def digest(self) -> str:
        """Hash of the differences, 16 hex digits; "" if there are none."""
        texts = [f"{chain} {height}" for chain, height in sorted(self.without)]
        texts += [f"{key} is {name}" for key, name in sorted(self.renamed)]
        return f"{number_of(*texts) & (1 << 64) - 1:016x}" if texts else ""


def seal_lines(span: Span, folder: Path, stem: str, changed: Changed) -> Manifest:
    """Write the segment of `span` except its manifest, which the caller writes.

    Args:
        span: part of a file of block lines, plain or gzip-compressed. The ascending heights of an exporter
            allow effective pruning.
        folder: folder for the files of the segment.
        stem: prefix of their names, and the atom of the new source.
        changed: differences from the lines.

    Raises:
        OSError: a file cannot be read or written.
    """
    superseded = frozenset[Place]()
    while True:
        with SegmentWriter(folder, stem) as writer:
            sealed = _Sealed(span.path, writer, changed, superseded)
            source = sealed.take_all(span, stem)
            if not sealed.superseded:
                return sealed.manifest(source)
        superseded = frozenset(sealed.superseded)  # partial records to leave out in the second pass


def contradiction(chosen: LineHead, other: LineHead) -> str:
    """Describe why another record of a block conflicts with the chosen one; "" if it does not."""
    both_timed = chosen.time_ns is not None and other.time_ns is not None
    is_part = other.partial and not chosen.partial  # its content may be other than that of the whole block
    if (both_timed and chosen.time_ns != other.time_ns) or (chosen.digest != other.digest and not is_part):
        return f"{other.chain_id} {other.height} differs from an earlier record"
    return ""


class _Sealed:
    """Segment in progress."""

    def __init__(
        self,
        path: Location,
        writer: SegmentWriter,
        changed: Changed,
        superseded: Collection[Place],
    ) -> None:
        self._path, self._writer, self._changed = path, writer, changed
        self._renamed = dict(changed.renamed)
        self._superseded = superseded
        self.superseded = set[Place]()
        """Partial records that were written before the complete record in the same file."""
        self._seen: dict[Place, LineHead] = {}
        self._problems = Problems()
        self._malformed: list[Skipped] = []  # events
        self._counts = Counter[str]()
        self._known: dict[str, list[int]] = {}
        self._part: dict[str, list[int]] = {}
        self._lost: dict[str, list[int]] = {}
        self._times: dict[str, tuple[int, int]] = {}  # earliest and latest
        self._facts = FactCollector()

    def take_all(self, span: Span, atom: str) -> Source:
        """Process every line; return the source that was read, with the name `atom`."""
        path, offset = span.path, span.offset
        before = path.stat()
        length = before.st_size - offset if span.length is None else span.length
        checksum, size, torn = 0, 0, False
        for line in read_lines(path, offset, None if is_packed(path) else length):
            checksum, size = crc32(line.data, checksum), size + len(line.data)
            torn = not line.data.endswith(b"\n")
            self._take(line)
        if size != length:  # compressed file, skipped lines, or a last line that has grown meanwhile
            checksum = checksum_of(path, offset, length)
            torn = True
        state = (before.st_mtime_ns, checksum, atom, span.after, torn, self._changed.digest)
        return Source(str(path), offset, length, *state)

    def _take(self, line: Line) -> None:
        """Check and decode a line and write its rows; the first complete record of a height is used."""
        try:
            head = line.head()
        except MalformedLine as error:
            self._problems.add(str(self._path), line.offset, error.reason)
            return
        place = (str(head.chain), head.height)
        if place in self._changed.without or (head.partial and place in self._superseded):
            return
        chain = self._renamed.get(place[0], place[0])
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
            # guard: h114-a-line-whose-json-is-no-block-counts drop
            #   test_h114_a_good_copy_counts_behind_one_whose_json_is_no_block
            del self._seen[place]  # another record may be valid
            self._problems.add(str(self._path), line.offset, error.reason)
            self._lost.setdefault(chain, []).append(head.height)
        else:
            self._write(head, block._replace(chain_id=chain), line)

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
        self._facts.take(block.chain_id, block.height, beside.facts, packets)
        problems = [*(row for row in rows if row.type == PROBLEM), *beside.problems]
        self._malformed += [Skipped(row.file or "", row.detail or "") for row in problems]
        known = self._part if head.partial else self._known
        known.setdefault(block.chain_id, []).append(head.height)
        if block.time_ns is not None:
            first, last = self._times.get(block.chain_id, (block.time_ns, block.time_ns))
            self._times[block.chain_id] = min(first, block.time_ns), max(last, block.time_ns)
        known_hash = block.app_hash.hex() or None
        place = (known_hash, head.digest, head.partial, line.offset, len(line.data))
        self._writer.add_block(block.chain_id, head.height, block.time_ns, len(block.txs), *place)

    def manifest(self, source: Source) -> Manifest:
        """Finish the files and return the manifest."""
        self._writer.add_to(FACTS, self._facts.channels())
        files = self._writer.done()
        chains = sorted({*self._known, *self._part, *self._lost})
        return Manifest(
            version=VERSION,
            sources=[source],
            blocks=True,
            chains={chain: self._part_of(chain) for chain in chains},
            counts=dict(sorted(self._counts.items())),
            ends=self._writer.ends,
            told=self._facts.done(),
            names=self._writer.names,
            rows=self._writer.rows,
            problems=[*self._problems.all(), *self._malformed],
            files=files,
        )

    def _part_of(self, chain: str) -> ChainPart:
        known, part, lost = (
            Heights.of(found.get(chain, ())).ranges for found in (self._known, self._part, self._lost)
        )
        return ChainPart(known, part, lost, *self._times.get(chain, (None, None)))
