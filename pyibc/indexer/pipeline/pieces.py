"""Pieces of a batch: the blocks of a chain id in a file, which are of one chain.

A file may also tell two chains of an id, one after the other or mixed. In the order of time, the second chain
begins where heights fall. The runs between these places are of several chains if a later one stands behind
the earlier ones in the file, too, if it tells some of their heights again, or if all its heights are lower.
Otherwise its times are damaged, and its heights are those that the other runs lack. Chains that made blocks
at the same time are not told apart.
"""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from pyibc.core.numbers import MAX_I64
from pyibc.indexer.chains.restarts import Piece
from pyibc.indexer.pipeline.lake import Lake
from pyibc.indexer.sql import Columns

MOST_RUNS, MOST_CHAINS = 64, 8
"""Numbers of runs and chains in a file beyond which its times say nothing, and it is one piece."""
BEGINNING = -MAX_I64
_RUNS = f"""
WITH heads AS (
  SELECT chain, coalesce(incarnation, '') AS told, file, height, time_ns,
    min(byte_offset) AS begin, max(byte_offset) AS last_begin
  FROM batch_given WHERE digest IS NOT NULL AND chain IN ({{chains}}) GROUP BY ALL
), ordered AS (
  SELECT *, CASE WHEN height <= lag(height) OVER by_time AND time_ns > lag(time_ns) OVER by_time
    THEN 1 ELSE 0 END AS falls
  FROM heads WINDOW by_time AS (PARTITION BY chain, file, time_ns IS NULL ORDER BY time_ns, height, told)
)
SELECT *, CASE WHEN time_ns IS NOT NULL THEN least({MOST_RUNS}, sum(falls) OVER (
  PARTITION BY chain, file, time_ns IS NULL ORDER BY time_ns, height, told ROWS UNBOUNDED PRECEDING
)) END AS run FROM ordered
"""
_OF_RUNS = """
SELECT chain, told, file, run, count(DISTINCT height) AS heights, min(height) AS first, max(height) AS last,
  min(time_ns) AS first_ns, max(time_ns) AS last_ns, min(begin) AS begin, max(last_begin) AS last_begin
FROM batch_runs GROUP BY chain, told, file, run
"""
_COMMON = """
WITH told AS (SELECT DISTINCT chain, file, run, height FROM batch_runs WHERE run IS NOT NULL)
SELECT one.chain, one.file, one.run AS earlier, other.run AS later, count(*) AS heights
FROM told AS one JOIN told AS other ON one.chain = other.chain AND one.file = other.file
  AND one.height = other.height AND one.run < other.run
GROUP BY one.chain, one.file, one.run, other.run
"""
_SOME = 2  # heights that are no single damaged record


class Place(NamedTuple):
    """Place of the blocks of a piece: those of a chain in a file, from a time on until the next piece."""

    chain: str  # chain id
    told: str  # incarnation in the lines; "": none
    file: str
    since_ns: int = BEGINNING  # in the first piece, which also has the blocks without a time


SPAN: Columns = (
    *(("chain", "string"), ("told", "string"), ("file", "string")),
    *(("since_ns", "bigint"), ("until_ns", "bigint")),
)
"""Columns of a place with the last time that is in it."""
Span = tuple[str, str, str, int, int]


def spans(places: Iterable[Place]) -> Iterator[tuple[Place, Span]]:
    """Yield places with the values of `SPAN`."""
    ordered = sorted(places)
    for number, place in enumerate(ordered, 1):
        after = ordered[number] if number < len(ordered) else None
        ends = after is not None and after[:3] == place[:3]
        yield place, (*place, after.since_ns - 1 if ends and after else MAX_I64)


def joined(blocks: str, places: str, join: str = "JOIN") -> str:
    """Build the FROM clause that joins blocks, under this name, with a view of places, named `pieces`."""
    return (
        f"{blocks} AS blocks {join} {places} AS pieces ON blocks.chain = pieces.chain"
        " AND blocks.file = pieces.file AND coalesce(blocks.incarnation, '') = pieces.told"
        f" AND coalesce(blocks.time_ns, {BEGINNING}) BETWEEN pieces.since_ns AND pieces.until_ns"
    )


Common = Counter[tuple[int, int]]
"""Number of common heights of two runs, the earlier one first."""


class Found(NamedTuple):
    """Piece of a batch."""

    place: Place
    piece: Piece
    goes_on: bool  # with a file whose blocks before were in an earlier batch


def pieces_in(lake: Lake, chains: Iterable[str]) -> list[Found]:
    """Return the pieces of chains in the view `batch_given`, those that take precedence first."""
    lake.view("batch_runs", _RUNS.format(chains=", ".join(map(lake.text, sorted(chains)))))
    of_file, found = defaultdict[tuple[str, str], list[Any]](list), list[Found]()
    for row in lake.rows(_OF_RUNS):
        of_file[row.chain, row.file].append(row)
    common = defaultdict[tuple[str, str], Common](Counter)
    if any(row.run for rows in of_file.values() for row in rows):
        for row in lake.rows(_COMMON):
            common[row.chain, row.file][row.earlier, row.later] = row.heights
    for place, rows in of_file.items():
        begun, number = _beginnings(rows, common[place]), len(found)
        pieces, first = defaultdict[tuple[int, str], list[Any]](list), dict[str, int]()
        for row in sorted(rows, key=lambda row: (row.run is None, row.run)):
            run = first.setdefault(row.told, 0) if row.run is None else row.run
            first.setdefault(row.told, run)
            pieces[bisect_right(begun, run) - 1, row.told].append(row)
        starts = {told: bisect_right(begun, run) - 1 for told, run in first.items()}
        for (part, told), some in pieces.items():
            found.append(
                _found(number + part, some, is_first=part == starts[told], is_divided=len(begun) > 1)
            )
    return sorted(
        found, key=lambda one: (one.place.chain, one.piece.first, one.piece.first_ns or 0, one.place)
    )


def _beginnings(rows: Iterable[Any], common: Common) -> list[int]:
    """Return the first run of each piece of a file."""
    runs = defaultdict[int, list[Any]](list)
    for row in rows:
        if row.run is not None:
            runs[row.run].append(row)
    if MOST_RUNS in runs:
        return [0]
    begun, piece = [0], list[_Run]()
    for number, some in sorted(runs.items()):
        run = _Run(
            number,
            max(row.heights for row in some),
            *(min(row.first for row in some), max(row.last for row in some)),
            *(min(row.begin for row in some), max(row.last_begin for row in some)),
        )
        if piece and _is_other_chain(run, piece, common):
            begun.append(number)
            piece.clear()
        piece.append(run)
    return begun if len(begun) <= MOST_CHAINS else [0]


class _Run(NamedTuple):
    """Blocks of a file whose heights rise with their times."""

    number: int
    heights: int
    first: int  # lowest and highest height
    last: int
    begin: int  # places of the first and last block in the file
    last_begin: int


def _is_other_chain(run: _Run, piece: Sequence[_Run], common: Common) -> bool:
    """Return whether a run is of another chain than the runs before."""
    if run.begin > max(each.last_begin for each in piece):
        return True
    if sum(common[each.number, run.number] for each in piece) >= _SOME:
        return True
    is_lower = run.last < min(each.first for each in piece)
    return is_lower and min(run.heights, sum(each.heights for each in piece)) >= _SOME


def _found(number: int, rows: Sequence[Any], *, is_first: bool, is_divided: bool) -> Found:
    times = [time for row in rows for time in (row.first_ns, row.last_ns) if time is not None]
    first_ns, last_ns = min(times, default=None), max(times, default=None)
    timed = [row for row in rows if row.first_ns is not None] or rows  # heights without times say nothing
    heights = min(row.first for row in timed), max(row.last for row in timed)
    since = BEGINNING if is_first or first_ns is None else first_ns
    begin = min(row.begin for row in rows)
    chain, told, file = rows[0].chain, rows[0].told, rows[0].file
    return Found(
        Place(chain, told, file, since),
        Piece(number, told, *heights, first_ns, last_ns),
        goes_on=begin > 0 and not is_divided,
    )
