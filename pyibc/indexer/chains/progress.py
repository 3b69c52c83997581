"""Progress of chains by their block times: the last hour in which a chain worked, and its last gap.

The silence of a packet is measured by the progress of chains, not by a clock: after a halt of two hours, its
relayer has had no more time than before the halt. So a pause between two blocks counts at most `PAUSE_S`.
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from pyibc.core.numbers import MAX_I64
from pyibc.indexer.blocks.coverage import Coverage, Heights
from pyibc.indexer.chains.lineages import Placed
from pyibc.indexer.sql import POSITION, columns_of

OVERDUE_AFTER_S = 3600  # progress of the chains without an event after which a packet is overdue

PAUSE_S = 300
"""Longest pause between two blocks that counts as work, seconds."""
RECENT = 100_000
"""Number of heights below the last one whose times are read: an hour of the fastest chains."""

CLOCKS = columns_of("key string, chain string, height_base bigint, recent bigint, whole bigint")
_NEEDED, _PAUSE = OVERDUE_AFTER_S * 10**9, PAUSE_S * 10**9
_LATEST = MAX_I64 - (RECENT + 2) * _NEEDED  # no sum of steps, each at most `_NEEDED`, leads beyond a bigint
_QUERY = f"""
WITH known AS (
  SELECT clocks.chain, {POSITION} AS height, whole, min(time_ns) AS time_ns
  FROM ({{rows}}) AS known_blocks
  JOIN clocks ON known_blocks.chain = clocks.key
  WHERE time_ns IS NOT NULL AND ({POSITION} >= recent OR {POSITION} = whole)
  GROUP BY clocks.chain, {POSITION}, whole
), steps AS (
  SELECT chain, height, whole, time_ns,
    coalesce(time_ns < lag(time_ns) OVER (PARTITION BY chain ORDER BY height), FALSE) AS is_early,
    least(
      greatest(time_ns - lag(time_ns) OVER (PARTITION BY chain ORDER BY height), 0),
      least(height - lag(height) OVER (PARTITION BY chain ORDER BY height), {_NEEDED // _PAUSE}) * {_PAUSE}
    ) AS step
  FROM known
), worked AS (
  SELECT chain, height, whole, time_ns, is_early, step,
    CAST(sum(step) OVER (PARTITION BY chain ORDER BY height DESC) AS bigint) AS total
  FROM steps
)
SELECT chain,
  max(CASE WHEN total >= {_NEEDED} THEN least(time_ns, {_LATEST}) + total - step END) - {_NEEDED}
    AS overdue_ns,
  min(CASE WHEN height >= whole AND NOT is_early THEN time_ns END) AS whole_ns
FROM worked GROUP BY chain
"""


class Tip(NamedTuple):
    """Last known block of a chain, over all its revisions.

    Positions are heights as if those of the chain had never restarted.
    """

    chain: str
    height: int
    time_ns: int | None
    lacks: int = 0  # highest missing position below it; 0: none
    revision: int = 0
    overdue_ns: int | None = None  # time since which the chain made blocks for `OVERDUE_AFTER_S`
    whole_ns: int | None = None  # time since which all blocks are known; 0: since genesis; None: not known
    base: int = 0  # what the heights of its last revision are raised by, to make positions
    first_revision: int = 0

    @property
    def position(self) -> int:
        """Position of the block."""
        return min(self.base + self.height, MAX_I64)


def progress_query(rows: str) -> str:
    """Build the query for the progress of each chain.

    `rows` is a query for the blocks, as `chain`, `height` and `time_ns`; the table `clocks` has the columns
    `CLOCKS`. In the query, heights are positions, over all revisions of the chain, and `total` is the time
    that the chain worked from the block before a row's to the last one. The first block of a revision may
    have an early time.
    """
    return _QUERY.format(rows=rows)


class Clock(NamedTuple):
    """Chain whose block times are needed: a row with the columns `CLOCKS`."""

    key: str  # name of the chain in the blocks
    chain: str  # lineage
    height_base: int  # what its heights are raised by
    recent: int  # first of the recent positions of the lineage
    whole: int | None  # first position after its last gap; None: no block after it is complete


def clocks_of(
    chains: Mapping[str, Placed], tips: Mapping[str, Tip], coverage: Mapping[str, Coverage]
) -> list[Clock]:
    """Return the chains whose block times are needed.

    Args:
        chains: chains in the results by their names in the blocks.
        tips: last blocks by lineage.
        coverage: known positions by lineage.
    """
    return [
        Clock(key, name, base, max(1, tips[name].position - RECENT), _whole_from(coverage[name]))
        for key, (name, base) in chains.items()
        if name in tips
    ]


def completed(
    tips: Mapping[str, Tip], coverage: Mapping[str, Coverage], rows: Iterable[Any]
) -> dict[str, Tip]:
    """Return `tips` with the rows of `progress_query`."""
    found = {row.chain: row for row in rows}
    return {name: _completed(tip, coverage[name], found.get(name)) for name, tip in tips.items()}


def _whole_from(known: Coverage) -> int | None:
    """Return the first position from which all blocks up to the last one are complete."""
    heights: Heights = known.full | known.part
    first = max(heights.first, known.gaps.last + 1)
    return min(first, MAX_I64) if first <= heights.last else None


def _completed(tip: Tip, known: Coverage, row: tuple[str, int | None, int | None] | None) -> Tip:
    _, overdue_ns, whole_ns = row or (None, None, None)
    # A later revision than the first may begin with state of an older one.
    since_genesis = _whole_from(known) == 1 and tip.first_revision <= 1
    return tip._replace(overdue_ns=overdue_ns, whole_ns=0 if since_genesis else whole_ns)
