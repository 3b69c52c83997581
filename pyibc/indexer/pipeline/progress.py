"""Coverage, lineages and progress of chains, kept from batch to batch."""

from collections import defaultdict
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from pyibc.core.numbers import MAX_I64
from pyibc.indexer.coverage import Coverage, Heights
from pyibc.indexer.joining import Joined
from pyibc.indexer.known import line_coverage, tips_of
from pyibc.indexer.lineage.incarnations import ChainKey
from pyibc.indexer.lineage.lineages import Member
from pyibc.indexer.lineage.table import MEMBERS, member_row
from pyibc.indexer.names.registry import Registry
from pyibc.indexer.packet_table import Tip
from pyibc.indexer.pipeline.delta import Lake, ddl_of, sql_text
from pyibc.indexer.pipeline.lineages import lineages_in
from pyibc.indexer.pipeline.silver import Batch
from pyibc.indexer.pipeline.state import State, key_of
from pyibc.indexer.pipeline.tables import BLOCKS, CHAINS, COVERAGE
from pyibc.indexer.progress import CLOCKS, Clock, clocks_of, completed, progress_query

_ISLANDS = """
SELECT chain, incarnation, whole, min(height) AS first, max(height) AS last,
  min(time_ns) AS first_ns, max(time_ns) AS last_ns
FROM (
  SELECT chain, incarnation, NOT partial AS whole, height, time_ns,
    height - row_number() OVER (PARTITION BY chain, incarnation, partial ORDER BY height) AS island
  FROM {blocks} WHERE batch = '{batch}'
) AS numbered GROUP BY chain, incarnation, whole, island
"""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Chains(NamedTuple):
    """Chains of the tables."""

    joined: Joined
    coverage: dict[str, Coverage]  # known positions by lineage
    tips: dict[str, Tip]  # by lineage


def update_chains(lake: Lake, state: State, batch: Batch, given: Registry) -> Chains:
    """Add the blocks of a batch to `coverage`, and compute `chains` anew. Repeating it changes nothing.

    Args:
        lake: the tables.
        state: what they contain.
        batch: the batch.
        given: the user's file.
    """
    _add_coverage(lake, state, batch)
    joined = lineages_in(lake, state, given)
    coverage = line_coverage(joined.known, joined.lineages)
    return Chains(joined, coverage, _with_progress(lake, joined, coverage))


def write_chains(lake: Lake, state: State, chains: Chains) -> None:
    """Write the table `chains`."""
    rows = sorted(_row(one, chains) for one in chains.joined.lineages.members)
    if rows != state.chains:
        lake.replace(CHAINS, rows)
        state.chains = rows


def _row(one: Member, chains: Chains) -> tuple[Any, ...]:
    names = (name for name, _ in MEMBERS)
    found: dict[str, Any] = dict(zip(names, member_row(one), strict=True)) | {"height_base": one.base}
    for end in ("first", "last"):
        time_ns = found[f"{end}_ns"]
        found[f"{end}_time"] = None if time_ns is None else _EPOCH + timedelta(microseconds=time_ns // 1000)
    tip = chains.tips.get(one.lineage)
    if tip is not None and one.span.name == one.lineage:
        found |= {"height": tip.height, "time_ns": tip.time_ns, "last_missing": tip.lacks}
        found |= {"overdue_ns": tip.overdue_ns, "whole_ns": tip.whole_ns}
        found["missing"] = min(chains.coverage[one.lineage].gaps.count, MAX_I64)
    return tuple(found.get(name) for name in CHAINS.names)


def _add_coverage(lake: Lake, state: State, batch: Batch) -> None:
    """Join the ranges and times of a batch with those that are known; changed ranges are written."""
    new: dict[tuple[ChainKey, bool], list[tuple[int, int]]] = defaultdict(list)
    for row in lake.spark.sql(_ISLANDS.format(blocks=lake.at(BLOCKS), batch=batch.name)).collect():
        new[key_of(row), row.whole].append((row.first, row.last))
        state.add_times(key_of(row), (row.first_ns, row.last_ns))
    changed = list[tuple[object, ...]]()
    for key, some in new.items():
        before = state.ranges.get(key, Heights())
        after = state.ranges[key] = before | Heights.spanning(some)
        old, now = set(before.ranges), set(after.ranges)
        firsts = {first for first, _ in now}
        place = (key[0].chain_id, key[0].incarnation or None)
        changed += [(*place, *each, key[1], False) for each in sorted(now - old)]
        changed += [(*place, *each, key[1], True) for each in sorted(old - now) if each[0] not in firsts]
    if not changed:
        return
    fresh = lake.table_of(f"{COVERAGE.ddl}, gone boolean", changed)
    fresh.createOrReplaceTempView("ranges")
    lake.execute(
        f"MERGE INTO {lake.at(COVERAGE)} AS old USING ranges AS new"
        " ON old.chain = new.chain AND old.incarnation <=> new.incarnation AND old.whole = new.whole"
        " AND old.first = new.first\n"
        "WHEN MATCHED AND new.gone THEN DELETE\n"
        "WHEN MATCHED THEN UPDATE SET last = new.last\n"
        "WHEN NOT MATCHED AND NOT new.gone THEN INSERT (chain, incarnation, first, last, whole)"
        " VALUES (new.chain, new.incarnation, new.first, new.last, new.whole)"
    )


def _with_progress(lake: Lake, joined: Joined, coverage: dict[str, Coverage]) -> dict[str, Tip]:
    tips = tips_of(joined.known, joined.lineages)
    clocks = clocks_of(joined.placed, tips, coverage)
    lake.table_of(ddl_of(CLOCKS), clocks).createOrReplaceTempView("clocks")
    blocks = (
        "SELECT chain || coalesce(' ' || incarnation, '') AS chain, height, time_ns"
        f" FROM {lake.at(BLOCKS)} AS blocks WHERE {' OR '.join(map(_recent, clocks)) or 'FALSE'}"
    )
    return completed(tips, coverage, lake.spark.sql(progress_query(blocks)).collect())


def _recent(clock: Clock) -> str:
    """Return a condition on the blocks of a chain whose times are needed, by which Delta leaves out files."""
    recent, whole = (place - clock.height_base for place in (clock.recent, clock.whole or 0))
    chain = sql_text(ChainKey.parsed(clock.key).chain_id)
    return f"(chain = {chain} AND (height >= {recent} OR height = {whole}))"
