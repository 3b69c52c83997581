"""A file of block lines into a segment: each line checked and decoded once."""

from collections import Counter
from collections.abc import Collection
from pathlib import Path
from zlib import crc32

from ibc_indexer.blocks import Block
from ibc_indexer.chain_rows import chain_rows
from ibc_indexer.errors import MalformedLine
from ibc_indexer.lines import LineHead, decode_line, parse_head
from ibc_indexer.names.told import Telling
from ibc_indexer.rows import PROBLEM, count_events, rows_of
from ibc_indexer.scan import Skipped, lines_of
from ibc_indexer.segments.manifest import VERSION as MANIFEST_VERSION
from ibc_indexer.segments.manifest import ChainPart, Manifest, Source, runs
from ibc_indexer.segments.writer import SegmentWriter

Place = tuple[str, int]  # chain, height


def seal_lines(path: Path, folder: Path, stem: str, without: Collection[Place]) -> Manifest:
    """Writes the segment of `path`, in one reading; its manifest is for the caller to write.

    Args:
        path: a file of block lines; an exporter's ascend, which makes for good pruning by height.
        folder: where the segment's files go.
        stem: what their names begin with.
        without: blocks that are left out: another file holds them and comes first.

    Raises:
        OSError: a file cannot be read or written.
    """
    before = path.stat()
    checksum = size = 0
    with SegmentWriter(folder, stem) as writer:
        sealed = _Sealed(path, writer, without)
        for offset, line in lines_of(path):
            checksum, size = crc32(line, checksum), size + len(line)
            sealed.take(offset, line)
        return sealed.manifest(Source(str(path), size, before.st_mtime_ns, checksum))


def check_same(before: LineHead, head: LineHead) -> None:
    """Refuses a second record of a block that is another's content.

    A part of a block that is known whole is no contradiction.

    Raises:
        MalformedLine: it is.
    """
    if before.digest != head.digest and not (head.partial and not before.partial):
        raise MalformedLine(f"{head.chain_id} {head.height} was read before with other content")


def at(offset: int, reason: str) -> str:
    """A reason with the place of its line."""
    return f"line at byte {offset}: {reason}"


class _Sealed:
    """A segment under way."""

    def __init__(self, path: Path, writer: SegmentWriter, without: Collection[Place]) -> None:
        self._path, self._writer, self._without = path, writer, without
        self._seen: dict[Place, LineHead] = {}
        self._problems: list[Skipped] = []
        self._counts = Counter[str]()
        self._heights: dict[str, tuple[list[int], list[int]]] = {}  # chain -> whole blocks, parts
        self._times: dict[str, int] = {}
        self._told = Telling()

    def take(self, offset: int, line: bytes) -> None:
        """Checks and decodes a line and writes its rows; the first record of a height counts."""
        try:
            head = parse_head(line)
            first = self._seen.setdefault((head.chain_id, head.height), head)
            if first is not head:
                check_same(first, head)
            elif (head.chain_id, head.height) not in self._without:
                self._write(head, decode_line(line), offset, len(line))
        except MalformedLine as error:
            self._problems.append(Skipped(str(self._path), at(offset, error.reason)))

    def _write(self, head: LineHead, block: Block, offset: int, length: int) -> None:
        self._counts.update(count_events(block))
        rows = list(rows_of(block, str(self._path), everything=True))
        packets = [row for row in rows if row.sequence is not None]
        self._writer.add(packets)
        beside = chain_rows(block, str(self._path))
        for role, found in beside.rows.items():
            self._writer.add_to(role, found)
        self._told.take(head.chain_id, head.height, beside.facts, packets)
        problems = [*(row for row in rows if row.type == PROBLEM), *beside.problems]
        self._problems += [Skipped(r.file or "", r.detail or "") for r in problems]
        self._heights.setdefault(head.chain_id, ([], []))[head.partial].append(head.height)
        if block.time_ns is not None:
            self._times[head.chain_id] = max(block.time_ns, self._times.get(head.chain_id, 0))
        place = (head.digest, head.partial, offset, length)
        self._writer.add_block(head.chain_id, head.height, block.time_ns, len(block.txs), *place)

    def manifest(self, source: Source) -> Manifest:
        """What was written."""
        files = self._writer.done()
        return Manifest(
            version=MANIFEST_VERSION,
            source=source,
            blocks=True,
            chains={
                chain: ChainPart(runs(sorted(whole)), runs(sorted(part)), self._times.get(chain))
                for chain, (whole, part) in self._heights.items()
            },
            counts=dict(sorted(self._counts.items())),
            ends=self._writer.ends,
            told=self._told.done(),
            names=self._writer.names,
            rows=self._writer.rows,
            problems=self._problems,
            files=files,
        )
