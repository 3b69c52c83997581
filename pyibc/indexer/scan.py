"""Scan of folders with block lines: byte ranges of intact, distinct lines, and problems with the others.

The scan checks checksums and does not parse JSON, so the driver is much faster than the workers that parse.
Its result is a list of byte ranges, which workers read independently, and the coverage of every chain.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from pyibc.indexer.block_files import read_lines, sort_files
from pyibc.indexer.coverage import Coverage, Heights
from pyibc.indexer.errors import MalformedLine
from pyibc.indexer.lineage.incarnations import Incarnations
from pyibc.indexer.lineage.restarts import Comparison, Piece, incarnations_of
from pyibc.indexer.lines import LineHead, decode_line
from pyibc.indexer.storage.locations import Location, location_of

RANGE_BYTES = 8 << 20  # a worker's unit of work
MAX_LISTED = 1000  # problems of one file that are listed individually


class Skipped(NamedTuple):
    """File or part of a file that was not indexed."""

    file: str
    reason: str


class ByteRange(NamedTuple):
    """Consecutive lines of one chain in a file (in its uncompressed content)."""

    file: str
    offset: int
    length: int
    chain_id: str  # name in the results: the chain id, with the incarnation if there are several
    first: int  # lowest height
    last: int  # highest height


class Scan(NamedTuple):
    """Lines to read, and problems with the others."""

    ranges: list[ByteRange]
    skipped: list[Skipped]
    coverage: dict[str, Coverage]  # by name of the chain in the results
    notes: list[Skipped]


class FoundLine(NamedTuple):
    """Intact line with its position."""

    file: str
    offset: int
    length: int
    head: LineHead


class Problems:
    """Problems with lines, of which a limited number per file is listed."""

    def __init__(self) -> None:
        self._listed = list[Skipped]()
        self._counts: dict[str, int] = defaultdict(int)

    def add(self, file: str, offset: int, reason: str) -> None:
        """Add the reason why a line is not used."""
        self._counts[file] += 1
        if self._counts[file] <= MAX_LISTED:
            self._listed.append(Skipped(file, f"line at byte {offset}: {reason}"))

    def all(self) -> list[Skipped]:
        """Return the listed problems, and the number of the others by file."""
        beyond = [
            Skipped(file, f"{number - MAX_LISTED} more lines with problems")
            for file, number in self._counts.items()
            if number > MAX_LISTED
        ]
        return self._listed + beyond


def scan(files: Iterable[Location]) -> Scan:
    """Scan the heads of all lines in `files`; the first complete, valid record of a height is used."""
    problems = Problems()
    lines = [line for file in files for line in _whole_lines(file, problems)]
    lines = _told_apart(lines)
    incarnations = Incarnations(line.head.chain for line in lines)
    # guard: h114-a-line-whose-json-is-no-block-counts drop
    #   test_h114_of_a_height_the_first_line_counts_whose_json_is_a_block
    lines = _sound(lines, incarnations, problems)
    names = [incarnations.name(line.head.chain) for line in lines]
    best = dict[tuple[str, int], FoundLine]()
    for name, line in zip(names, lines, strict=True):
        before = best.setdefault((name, line.head.height), line)
        if before.head.partial and not line.head.partial:
            best[name, line.head.height] = line
    used = list[tuple[str, FoundLine]]()
    for name, line in zip(names, lines, strict=True):
        chosen = best[name, line.head.height]
        if chosen is line:
            used.append((name, line))
        elif differ(chosen.head, line.head):
            reason = f"{name} {line.head.height} differs from an earlier record"
            problems.add(line.file, line.offset, reason)
    return Scan(joined(used), problems.all(), _coverage(used, incarnations), notes_of(incarnations))


def _told_apart(lines: list[FoundLine]) -> list[FoundLine]:
    """Give the lines of chains that were restarted under their id the incarnations that their times show."""
    chains = Incarnations(line.head.chain for line in lines)
    of_piece = defaultdict[str, dict[tuple[str, str], list[LineHead]]](lambda: defaultdict(list))
    for line in lines:
        of_piece[chains.name(line.head.chain)][line.file, line.head.incarnation].append(line.head)
    found = dict[tuple[str, str, str], str]()
    for name, pieces in of_piece.items():
        names = incarnations_of(next(iter(pieces.values()))[0].chain_id, *_compared(pieces))
        found |= {
            (name, *piece): named for piece, named in zip(pieces, names, strict=True) if named != piece[1]
        }
    if not found:
        return lines
    return [
        line._replace(
            head=line.head._replace(
                incarnation=found.get(
                    (chains.name(line.head.chain), line.file, line.head.incarnation), line.head.incarnation
                )
            )
        )
        for line in lines
    ]


def _compared(pieces: dict[tuple[str, str], list[LineHead]]) -> tuple[list[Piece], Comparison]:
    files, found, compared = dict[str, int](), list[Piece](), Comparison()
    for place, ((file, incarnation), heads) in enumerate(pieces.items()):
        heights = [head.height for head in heads]
        times = [head.time_ns for head in heads if head.time_ns is not None]
        span = (min(times), max(times)) if times else (None, None)
        number = files.setdefault(file, len(files))
        found.append(Piece(number, incarnation, min(heights), max(heights), *span))
        for head in heads if len(pieces) > 1 else ():
            compared.add(place, head.height, head.time_ns)
    return found, compared


def scan_paths(paths: Iterable[Location]) -> Scan:
    """Scan the files of block lines in `paths`, recursively; other files are skipped with a reason."""
    found = sort_files(paths)
    scanned = scan(found.files)
    refused = [Skipped(str(path), reason) for path, reason in found.refused]
    # guard: h90-what-is-no-file-of-lines-is-passed-over drop:_replace
    #   test_h90_what_is_no_file_of_lines_is_named
    return scanned._replace(skipped=refused + scanned.skipped)


def _sound(lines: list[FoundLine], chains: Incarnations, problems: Problems) -> list[FoundLine]:
    """Drop lines with malformed JSON if another record of the block is well-formed.

    The JSON of heights with a single record is not parsed here: the workers report its errors.
    """
    copies = Counter((chains.name(line.head.chain), line.head.height) for line in lines)
    found, bad = list[FoundLine](), dict[tuple[str, int], list[FoundLine]]()
    for line in lines:
        place = (chains.name(line.head.chain), line.head.height)
        if copies[place] > 1 and (reason := _fault(line)):
            bad.setdefault(place, []).append(line)
            if len(bad[place]) < copies[place]:  # otherwise all are malformed, and this one is kept
                problems.add(line.file, line.offset, reason)
                continue
        found.append(line)
    return found


def _fault(line: FoundLine) -> str:
    """Describe the error in a line's JSON; "" if it is a block."""
    try:
        for each in read_lines(location_of(line.file), line.offset, line.length):
            decode_line(each.data)
    except MalformedLine as error:
        return error.reason
    return ""


def _whole_lines(file: Location, problems: Problems) -> Iterable[FoundLine]:
    name = str(file)
    for line in read_lines(file):
        try:
            head = line.head()
        except MalformedLine as error:
            problems.add(name, line.offset, error.reason)
        else:
            yield FoundLine(name, line.offset, len(line.data), head)


def differ(chosen: LineHead, other: LineHead) -> bool:
    """Return whether two records of a height conflict; only the content of a partial one may be other."""
    if chosen.time_ns is not None and other.time_ns is not None and chosen.time_ns != other.time_ns:
        return True
    return chosen.digest != other.digest and not (other.partial and not chosen.partial)


def joined(used: Iterable[tuple[str, FoundLine]]) -> list[ByteRange]:
    """Join adjacent lines of one chain to byte ranges."""
    ranges = list[ByteRange]()
    for name, line in used:
        height = line.head.height
        last = ranges[-1] if ranges else None
        if (
            last is not None
            and (last.file, last.chain_id, last.offset + last.length) == (line.file, name, line.offset)
            and last.length < RANGE_BYTES
        ):
            ranges[-1] = last._replace(
                length=last.length + line.length, first=min(last.first, height), last=max(last.last, height)
            )
        else:
            ranges.append(ByteRange(line.file, line.offset, line.length, name, height, height))
    return ranges


def _coverage(used: Iterable[tuple[str, FoundLine]], incarnations: Incarnations) -> dict[str, Coverage]:
    heights: dict[str, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for name, line in used:
        heights[name][line.head.partial].append(line.head.height)
    return {
        name: Coverage(Heights.of(full), Heights.of(part), incarnations.key(name))
        for name, (full, part) in sorted(heights.items())
    }


def notes_of(incarnations: Incarnations) -> list[Skipped]:
    """Describe the chains with several incarnations for display."""
    return [
        Skipped("", f"{chain} was restarted from genesis: its incarnations are listed as {', '.join(names)}")
        for chain, names in incarnations.several()
    ]
