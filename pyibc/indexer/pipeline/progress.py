"""Coverage and progress of chains, kept from batch to batch."""

from collections import defaultdict
from typing import NamedTuple

from pyibc.core.height import revision_of
from pyibc.core.numbers import MAX_I64
from pyibc.indexer.coverage import Coverage, Heights
from pyibc.indexer.lineage.incarnations import ChainKey, Incarnations
from pyibc.indexer.packet_table import Tip
from pyibc.indexer.pipeline.delta import Lake, ddl_of, sql_text
from pyibc.indexer.pipeline.silver import Batch
from pyibc.indexer.pipeline.state import Ranges, State
from pyibc.indexer.pipeline.tables import BLOCKS, CHAINS, COVERAGE
from pyibc.indexer.progress import CLOCKS, RECENT, progress_query

_ISLANDS = """
SELECT chain, incarnation, whole, min(height) AS first, max(height) AS last
FROM (
  SELECT chain, incarnation, NOT partial AS whole, height,
    height - row_number() OVER (PARTITION BY chain, incarnation, partial ORDER BY height) AS island
  FROM {blocks} WHERE batch = '{batch}'
) AS numbered GROUP BY chain, incarnation, whole, island
"""


class Chains(NamedTuple):
    """Chains of the tables."""

    names: Incarnations
    coverage: dict[str, Coverage]  # by name
    tips: dict[str, Tip]  # by name


def update_chains(lake: Lake, state: State, batch: Batch) -> Chains:
    """Add the blocks of a batch to `coverage`, and compute `chains` anew. Repeating it changes nothing."""
    _add_coverage(lake, state, batch)
    names = Incarnations(key for key, _ in state.ranges)
    coverage = _coverage(names, state.ranges)
    tips = _with_progress(lake, names, [key for key, _ in state.ranges], coverage)
    return Chains(names, coverage, tips)


def write_chains(lake: Lake, state: State, chains: Chains) -> None:
    """Write the table `chains`."""
    ids = {chains.names.name(key): key.chain_id for key, _ in state.ranges}
    rows = [
        (
            name,
            ids[name],
            chains.coverage[name].incarnation or None,
            tip.revision,
            tip.height,
            tip.time_ns,
            chains.coverage[name].gaps.count,
            tip.lacks,
            tip.overdue_ns,
            tip.whole_ns,
        )
        for name, tip in sorted(chains.tips.items())
    ]
    if rows != state.chains:
        lake.replace(CHAINS, rows)
        state.chains = rows


def _add_coverage(lake: Lake, state: State, batch: Batch) -> None:
    """Join the ranges of a batch with those they touch; only these are written."""
    new: dict[tuple[ChainKey, bool], list[tuple[int, int]]] = defaultdict(list)
    for row in lake.spark.sql(_ISLANDS.format(blocks=lake.at(BLOCKS), batch=batch.name)).collect():
        new[ChainKey(row.chain, row.incarnation or ""), row.whole].append((row.first, row.last))
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


def _coverage(names: Incarnations, ranges: Ranges) -> dict[str, Coverage]:
    full, part = defaultdict[str, list[tuple[int, int]]](list), defaultdict[str, list[tuple[int, int]]](list)
    for (key, whole), some in ranges.items():
        (full if whole else part)[names.name(key)].extend(some.ranges)
    return {
        name: Coverage(Heights.spanning(full[name]), Heights.spanning(part[name]), names.key(name))
        for name in sorted({*full, *part})
    }


def _with_progress(
    lake: Lake, names: Incarnations, keys: list[ChainKey], coverage: dict[str, Coverage]
) -> dict[str, Tip]:
    clocks, tips = [], dict[str, Tip]()
    for key in sorted(set(keys)):
        name = names.name(key)
        known = coverage[name]
        heights = known.full | known.part
        whole = max(heights.first, known.gaps.last + 1)
        first = whole if whole <= heights.last else None
        clocks.append((str(key), name, 0, max(1, heights.last - RECENT), first))
        revision = min(revision_of(key.chain_id), MAX_I64)
        tips[name] = Tip(
            name, heights.last, None, known.gaps.last, revision, whole_ns=0 if first == 1 else None
        )
    lake.table_of(ddl_of(CLOCKS), clocks).createOrReplaceTempView("clocks")
    blocks = (
        "SELECT chain || coalesce(' ' || incarnation, '') AS chain, height, time_ns"
        f" FROM {lake.at(BLOCKS)} AS blocks WHERE {_recent(clocks)}"
    )
    for row in lake.spark.sql(progress_query(blocks)).collect():
        tip = tips[row.chain]
        tips[row.chain] = tip._replace(
            time_ns=row.last_ns,
            overdue_ns=row.overdue_ns,
            whole_ns=0 if tip.whole_ns == 0 else row.whole_ns,
        )
    return tips


def _recent(clocks: list[tuple[str, str, int, int, int | None]]) -> str:
    """Return a condition on the blocks whose times are needed, by which Delta leaves out files."""
    spans = [
        f"(chain = {sql_text(ChainKey.parsed(key).chain_id)}"
        f" AND (height >= {recent} OR height = {whole or 0}))"
        for key, _, _, recent, whole in clocks
    ]
    return " OR ".join(spans) or "FALSE"
