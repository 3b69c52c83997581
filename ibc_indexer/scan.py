"""What folders of block lines hold: the whole lines once each, and a reason for every other one.

Scanning reads checksums, not JSON, so the driver stays far ahead of the workers that parse. Its result
is a list of byte ranges that workers read without looking at each other, and which heights of which chain
they cover.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from ibc_indexer.block_files import read_lines, sort_files
from ibc_indexer.coverage import Coverage, Heights
from ibc_indexer.errors import MalformedLine
from ibc_indexer.incarnations import Incarnations
from ibc_indexer.lines import LineHead, decode_line
from ibc_indexer.storage.locations import Location, location_of

RANGE_BYTES = 8 << 20  # a worker's unit of work
MAX_TOLD = 1000  # problems of one file that are told one by one


class Skipped(NamedTuple):
    """A file, or a part of it, that was not indexed."""

    file: str
    reason: str


class ByteRange(NamedTuple):
    """Whole lines of one chain that stand together in a file (in what it unpacks to)."""

    file: str
    offset: int
    length: int
    chain_id: str  # its name in the results: the chain id, and the incarnation where there are several
    first: int  # lowest height in it
    last: int  # highest


class Scan(NamedTuple):
    """The lines to read, and what is wrong with the others."""

    ranges: list[ByteRange]
    skipped: list[Skipped]
    coverage: dict[str, Coverage]  # by the chain's name in the results
    notes: list[Skipped]


class FoundLine(NamedTuple):
    """A whole line and where it stands."""

    file: str
    offset: int
    length: int
    head: LineHead


class Problems:
    """What is wrong, as much of it as a reader wants to see."""

    def __init__(self) -> None:
        self._told = list[Skipped]()
        self._more: dict[str, int] = defaultdict(int)

    def add(self, file: str, offset: int, reason: str) -> None:
        """Tells of a line that is not used."""
        self._more[file] += 1
        if self._more[file] <= MAX_TOLD:
            self._told.append(Skipped(file, f"line at byte {offset}: {reason}"))

    def all(self) -> list[Skipped]:
        """All problems; of a file with many their number."""
        beyond = [
            Skipped(file, f"{number - MAX_TOLD} more lines like these")
            for file, number in self._more.items()
            if number > MAX_TOLD
        ]
        return self._told + beyond


def scan(files: Iterable[Location]) -> Scan:
    """Reads the heads of all lines of `files`: of a height the first whole record wins that is a block."""
    problems = Problems()
    lines = [line for file in files for line in _whole_lines(file, problems)]
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
            reason = f"{name} {line.head.height} was read before with other content"
            problems.add(line.file, line.offset, reason)
    return Scan(joined(used), problems.all(), _coverage(used, incarnations), notes_of(incarnations))


def scan_paths(paths: Iterable[Location]) -> Scan:
    """Scans the files of block lines among `paths`, folders searched to any depth; the others are skipped."""
    found = sort_files(paths)
    scanned = scan(found.files)
    refused = [Skipped(str(path), reason) for path, reason in found.refused]
    # guard: h90-what-is-no-file-of-lines-is-passed-over drop:_replace
    #   test_h90_what_is_no_file_of_lines_is_named
    return scanned._replace(skipped=refused + scanned.skipped)


def _sound(lines: list[FoundLine], chains: Incarnations, problems: Problems) -> list[FoundLine]:
    """The lines without copies of a block whose JSON is malformed, if another copy is well-formed.

    Where a height is there once its JSON is not looked at: who reads the line says what is wrong.
    """
    copies = Counter((chains.name(line.head.chain), line.head.height) for line in lines)
    found, bad = list[FoundLine](), dict[tuple[str, int], list[FoundLine]]()
    for line in lines:
        place = (chains.name(line.head.chain), line.head.height)
        if copies[place] > 1 and (reason := _fault(line)):
            bad.setdefault(place, []).append(line)
            if len(bad[place]) < copies[place]:  # else all are bad, and this one stays to say so
                problems.add(line.file, line.offset, reason)
                continue
        found.append(line)
    return found


def _fault(line: FoundLine) -> str:
    """What is wrong with a line's JSON; "" if it is a block."""
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
    """Whether two records of a height contradict each other; a part of a whole block does not."""
    return chosen.digest != other.digest and not (other.partial and not chosen.partial)


def joined(used: Iterable[tuple[str, FoundLine]]) -> list[ByteRange]:
    """Neighbouring lines of one chain as ranges."""
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
    """Which chains were started anew, for people."""
    return [
        Skipped("", f"{chain} was started anew: its incarnations are kept apart as {', '.join(names)}")
        for chain, names in incarnations.several()
    ]
