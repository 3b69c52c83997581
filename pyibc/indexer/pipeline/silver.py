"""Silver tables: the blocks of a batch are appended once, with what is in them.

A block that several files contain is kept once. Which record of it is kept does not depend on the order in
which files arrive: a complete one before one of single transactions, then the one with the lower digest. If
a record arrives that ranks before the one in the tables, the rows of the latter are replaced.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from pyspark.sql import DataFrame, SparkSession

from pyibc.indexer.coverage import NONE, Heights
from pyibc.indexer.lineage.incarnations import ChainKey
from pyibc.indexer.packet_facts import V1
from pyibc.indexer.pipeline.delta import Lake
from pyibc.indexer.pipeline.observations import Batch, BlockRange, Observation, PathEnd
from pyibc.indexer.pipeline.sql import OWN_END
from pyibc.indexer.pipeline.tables import BLOCKS, FACT, PACKET_EVENTS, PROBLEMS, REPLACED

_KEY = "chain, incarnation, height"
_HEADS = ("chain", "incarnation", "height", "time_ns")
_OVERVIEW = """
SELECT chain, incarnation, partial, min(height) AS first, max(height) AS last,
  min(time_ns) AS first_ns, max(time_ns) AS last_ns,
  count(*) AS records, sum(events) AS events, sum(problems) AS problems
FROM (
  SELECT *, height - dense_rank() OVER (PARTITION BY chain, incarnation, partial ORDER BY height) AS island
  FROM batch_read
) AS numbered GROUP BY chain, incarnation, partial, island
"""
_EVENTS = """
SELECT chain, incarnation, height, time_ns, event.*, '{batch}' AS batch
FROM batch_blocks LATERAL VIEW explode(events) AS event
"""
_SAME_BLOCK = "old.chain = new.chain AND old.incarnation <=> new.incarnation AND old.height = new.height"

_KNOWN = """
SELECT chain, incarnation, height, partial, digest, FALSE AS is_new, file, byte_offset
FROM {blocks} AS old
WHERE batch <> '{batch}' AND chain IN (SELECT DISTINCT chain FROM batch_heads)
  AND height BETWEEN {first} AND {last}
"""
_RANKED = """
SELECT *, row_number() OVER (
    PARTITION BY chain, incarnation, height ORDER BY partial, digest, is_new, file, byte_offset
  ) AS place,
  max(NOT is_new) OVER (PARTITION BY chain, incarnation, height) AS was_known
FROM (
  SELECT chain, incarnation, height, partial, digest, TRUE AS is_new, file, byte_offset FROM batch_heads
  UNION ALL {known}
) AS every
"""


_FROM_PACKETS = {"type": "'channel'", "connection": "connection", **OWN_END}
"""Facts that packets of channels tell about the channel end of their chain."""


class Overview(NamedTuple):
    """Ranges of heights in a batch, one row for each range and chain.

    The columns are `chain`, `incarnation`, `partial` (null for lines that cannot be read), `first` and `last`
    height, `first_ns` and `last_ns`, and the numbers of `records`, `events` and `problems`.
    """

    rows: list[Any]

    @property
    def weight(self) -> int:
        """Number of blocks and packet events."""
        return sum(row.records + row.events for row in self.rows)

    @property
    def has_problems(self) -> bool:
        """True if something cannot be read."""
        return any(row.problems for row in self.rows)

    def observations(self) -> Iterator[Observation]:
        """Yield the ranges as rows of the table `observations`."""
        for row in self.rows:
            if row.partial is not None:
                blocks = BlockRange(row.first, row.last, row.first_ns, row.last_ns, not row.partial)
                yield Observation(row.chain, row.incarnation, blocks=blocks)

    def shares_heights(self, known: Mapping[tuple[ChainKey, bool], Heights]) -> bool:
        """Return whether the batch has a height several times, or one that is in `known`."""
        found = defaultdict[ChainKey, list[Any]](list)
        for row in self.rows:
            if row.partial is not None:
                found[ChainKey(row.chain, row.incarnation or "")].append(row)
        for key, rows in found.items():
            new = Heights.spanning((row.first, row.last) for row in rows)
            old = known.get((key, True), NONE) | known.get((key, False), NONE)
            if new.count < sum(row.records for row in rows) or (old | new).count < old.count + new.count:
                return True
        return False


def overview(blocks: DataFrame) -> Overview:
    """Return the ranges of heights in a batch of rows of the data source `ibc`."""
    partial = "CASE WHEN digest IS NOT NULL THEN partial END AS partial"
    counts = (f"coalesce(size({name}), 0) AS {name}" for name in ("events", "problems"))
    return _overview(blocks.selectExpr(*_HEADS, partial, *counts))


def accepted_overview(spark: SparkSession) -> Overview:
    """Return the ranges of heights in the view `batch_blocks`, without numbers of events and problems."""
    return _overview(
        spark.table("batch_blocks").selectExpr(*_HEADS, "partial", "0 AS events", "0 AS problems")
    )


def _overview(heads: DataFrame) -> Overview:
    heads.createOrReplaceTempView("batch_read")
    return Overview(heads.sparkSession.sql(_OVERVIEW).collect())


def is_stored(lake: Lake, batch: Batch) -> bool:
    """Return whether an earlier attempt at a batch has stored something of it."""
    return any(
        not lake.read(table).where(f"batch = '{batch.name}'").isEmpty() for table in (PACKET_EVENTS, BLOCKS)
    )


def append_blocks(lake: Lake, blocks: DataFrame, batch: Batch, *, shared: bool, problems: bool) -> None:
    """Append the blocks of a batch to the silver tables. Repeating it changes nothing.

    The view `batch_blocks` has the blocks that are kept, and `batch_events` their packet events.

    Args:
        lake: the tables.
        blocks: rows of the data source `ibc` with the option `rows` set to `blocks`, persisted.
        batch: the batch.
        shared: whether heights of the batch may be in the tables, or several times in the batch.
        problems: whether something in it cannot be read.
    """
    if shared:
        lake.prepare([REPLACED])
    accepted = _accepted(lake, blocks, batch) if shared else blocks.where("digest IS NOT NULL")
    accepted.createOrReplaceTempView("batch_blocks")
    lake.spark.sql(_EVENTS.format(batch=batch.name)).createOrReplaceTempView("batch_events")
    if problems:
        told = _problems(lake.spark, accepted.union(blocks.where("digest IS NULL")), batch)
        lake.append(PROBLEMS, told, batch.writer, batch.number)
    lake.append(PACKET_EVENTS, lake.spark.table("batch_events"), batch.writer, batch.number)
    # The blocks come last: a block that is in the table is known with all its events.
    lake.append(BLOCKS, _named(accepted, batch), batch.writer, batch.number)


def use_stored(lake: Lake, batch: Batch) -> None:
    """Change the views `batch_blocks` and `batch_events` to what the tables have of a batch."""
    for name, table in (("batch_blocks", BLOCKS), ("batch_events", PACKET_EVENTS)):
        lake.read(table).where(f"batch = '{batch.name}'").createOrReplaceTempView(name)


def observed_in(spark: SparkSession) -> list[Any]:
    """Return the ends of paths and the distinct facts in the views `batch_blocks` and `batch_events`.

    The rows have the columns `chain`, `incarnation`, and the structs `path_end` and `fact` of the table
    `observations`; facts have the first height of each.
    """
    names = [name for name in FACT if name != "height"]
    seen = ", ".join(f"{_FROM_PACKETS.get(name, 'NULL')} AS {name}" for name in names)
    listed = ", ".join(names)
    facts = (
        f"SELECT chain, incarnation, {listed}, min(height) AS height FROM (\n"
        f"SELECT chain, incarnation, height, {', '.join(f'fact.{name}' for name in names)}\n"
        "  FROM batch_blocks LATERAL VIEW explode(facts) AS fact\n"
        f"UNION ALL SELECT chain, incarnation, height, {seen} FROM batch_events WHERE protocol = {V1}\n"
        ") AS every GROUP BY ALL"
    )
    return spark.sql(
        "SELECT chain, incarnation, path_end, NULL AS fact FROM (\n"
        f"  SELECT DISTINCT chain, incarnation, struct({', '.join(PathEnd._fields)}) AS path_end\n"
        "  FROM batch_events) AS ends\n"
        f"UNION ALL SELECT chain, incarnation, NULL, struct({listed}, height) FROM ({facts}) AS facts"
    ).collect()


def _accepted(lake: Lake, blocks: DataFrame, batch: Batch) -> DataFrame:
    """Return the blocks that are kept; the records that they replace are deleted."""
    spark = lake.spark
    heads = "chain, incarnation, height, partial, digest, file, byte_offset"
    blocks.where("digest IS NOT NULL").selectExpr(*heads.split(", ")).createOrReplaceTempView("batch_heads")
    bounds = spark.sql("SELECT min(height) AS first, max(height) AS last FROM batch_heads").first()
    if bounds is None or bounds.first is None:
        return blocks.where("FALSE")
    known = _KNOWN.format(blocks=lake.at(BLOCKS), batch=batch.name, first=bounds.first, last=bounds.last)
    ranked = spark.sql(_RANKED.format(known=known)).where("is_new AND (place > 1 OR was_known)").persist()
    ranked.createOrReplaceTempView("batch_ranked")
    try:
        found = spark.sql(
            "SELECT count_if(place > 1) AS lost, count_if(place = 1) AS won FROM batch_ranked"
        ).first()
        if found is not None and found.won:
            _replace(lake, batch)
        if found is None or not found.lost:
            return blocks.where("digest IS NOT NULL")
        lost = spark.createDataFrame(
            spark.sql("SELECT file, byte_offset FROM batch_ranked WHERE place > 1").collect(),
            "file string, byte_offset bigint",
        )
        lost.createOrReplaceTempView("batch_lost")
        return blocks.where("digest IS NOT NULL").join(
            lost.hint("broadcast"), ["file", "byte_offset"], "left_anti"
        )
    finally:
        ranked.unpersist()


def _replace(lake: Lake, batch: Batch) -> None:
    """Delete the records that the batch replaces, after noting which packets have events in them."""
    spark = lake.spark
    spark.sql(f"SELECT {_KEY} FROM batch_ranked WHERE place = 1").createOrReplaceTempView("batch_better")
    replaced = spark.sql(
        f"SELECT DISTINCT old.path_id, old.sequence, '{batch.name}' AS batch"
        f" FROM {lake.at(PACKET_EVENTS)} AS old JOIN batch_better AS new ON {_SAME_BLOCK}"
        f" WHERE old.batch <> '{batch.name}'"
    )
    lake.append(REPLACED, replaced, batch.writer, batch.number)
    for table in (PACKET_EVENTS, PROBLEMS, BLOCKS):
        lake.execute(
            f"MERGE INTO {lake.at(table)} AS old USING batch_better AS new"
            f" ON {_SAME_BLOCK} AND old.batch <> '{batch.name}' WHEN MATCHED THEN DELETE"
        )


def _named(accepted: DataFrame, batch: Batch) -> DataFrame:
    return accepted.selectExpr(
        *(name for name in BLOCKS.names if name != "batch"), f"'{batch.name}' AS batch"
    )


def _problems(spark: SparkSession, blocks: DataFrame, batch: Batch) -> DataFrame:
    blocks.createOrReplaceTempView("batch_told")
    return spark.sql(
        f"SELECT chain, incarnation, height, file, reason, '{batch.name}' AS batch FROM batch_told"
        " LATERAL VIEW explode(problems) AS reason"
    )
