"""Pieces of a batch: the blocks of a chain id in a file, which are of one chain.

A file may also tell two chains of an id, one after the other or mixed. In the order of time, the second chain
begins where heights fall. So the file is divided at the times at which they do. A single block that is out of
order is a damaged record, except at both the beginning or both the end of the file and of the times in it.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from pyibc.core.numbers import MAX_I64
from pyibc.indexer.chains.restarts import Piece
from pyibc.indexer.pipeline.lake import Lake
from pyibc.indexer.sql import Columns

MOST_PARTS = 64
"""Number of parts from which the times in a file are taken for damaged, and it is not divided."""
BEGINNING = -MAX_I64
_PARTS = f"""
WITH heads AS (
  SELECT chain, coalesce(incarnation, '') AS told, file, height, time_ns, min(byte_offset) AS begin
  FROM batch_given WHERE digest IS NOT NULL AND chain IN ({{chains}}) GROUP BY ALL
), ordered AS (
  SELECT *, lag(height) OVER by_time AS before, lag(height, 2) OVER by_time AS before_that,
    lead(height) OVER by_time AS after, lag(time_ns) OVER by_time AS before_ns
  FROM heads WINDOW by_time AS (PARTITION BY chain, file, time_ns IS NULL ORDER BY time_ns, height, told)
), falling AS (
  SELECT *, CASE WHEN time_ns > before_ns AND height <= before AND height <= coalesce(before_that, height)
    AND coalesce(after, 0) <= before THEN 1 ELSE 0 END AS falls
  FROM ordered
), parted AS (
  SELECT *, CASE WHEN time_ns IS NOT NULL THEN least({MOST_PARTS}, sum(falls) OVER (
    PARTITION BY chain, file, time_ns IS NULL ORDER BY time_ns, height, told ROWS UNBOUNDED PRECEDING
  )) END AS part
  FROM falling
)
SELECT chain, told, file, part, count(DISTINCT height) AS heights, min(height) AS first, max(height) AS last,
  min(time_ns) AS first_ns, max(time_ns) AS last_ns, min(begin) AS begin, max(begin) AS last_begin
FROM parted GROUP BY chain, told, file, part
"""


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


class Found(NamedTuple):
    """Piece of a batch."""

    place: Place
    piece: Piece
    goes_on: bool  # with a file whose blocks before were in an earlier batch


def pieces_in(lake: Lake, chains: Iterable[str]) -> list[Found]:
    """Return the pieces of chains in the view `batch_given`, those that take precedence first."""
    ids = ", ".join(map(lake.text, sorted(chains)))
    of_file, found = defaultdict[tuple[str, str], list[Any]](list), list[Found]()
    for row in lake.rows(_PARTS.format(chains=ids)):
        of_file[row.chain, row.file].append(row)
    for rows in of_file.values():
        begun, number = _beginnings(rows), len(found)
        pieces = defaultdict[tuple[int, str], list[Any]](list)
        for row in rows:
            pieces[bisect_right(begun, row.part or 0) - 1, row.told].append(row)
        found += (_found(number, part, some, len(begun) > 1) for (part, _), some in pieces.items())
    return sorted(
        found, key=lambda one: (one.place.chain, one.piece.first, one.piece.first_ns or 0, one.place)
    )


def _beginnings(rows: Iterable[Any]) -> list[int]:
    """Return the first part of each piece of a file. Damaged records are of the piece before."""
    listed, parts = list(rows), defaultdict[int, list[Any]](list)
    for row in listed:
        if row.part is not None:
            parts[row.part].append(row)
    first, last = min(row.begin for row in listed), max(row.last_begin for row in listed)
    if MOST_PARTS in parts or not parts:
        return [0]
    begun = [
        part
        for part, some in sorted(parts.items())
        if max(row.heights for row in some) > 1
        or (part == 0 and some[0].begin == first)
        or (part == max(parts) and some[0].last_begin == last)
    ]
    return [0, *begun[1:]]


def _found(number: int, part: int, rows: Sequence[Any], is_divided: bool) -> Found:
    times = [time for row in rows for time in (row.first_ns, row.last_ns) if time is not None]
    first_ns, last_ns = min(times, default=None), max(times, default=None)
    heights = min(row.first for row in rows), max(row.last for row in rows)
    since = BEGINNING if part == 0 or first_ns is None else first_ns
    begin = min(row.begin for row in rows)
    chain, told, file = rows[0].chain, rows[0].told, rows[0].file
    return Found(
        Place(chain, told, file, since),
        Piece(number + part, told, *heights, first_ns, last_ns),
        goes_on=begin > 0 and not is_divided,
    )
