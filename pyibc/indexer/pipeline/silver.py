"""Silver tables: the blocks of a batch are appended once, with what is in them.

A block that several files contain is kept once. Which record of it is kept does not depend on the order in
which files arrive: a complete one before one of single transactions, then the one with the lower digest. If
a record arrives that ranks before the one in the tables, the rows of the latter are replaced.
"""

from typing import NamedTuple

from pyspark.sql import DataFrame, SparkSession

from pyibc.indexer.chain_rows import FACTS as FACT_ROLE
from pyibc.indexer.pipeline.delta import Lake
from pyibc.indexer.pipeline.tables import BLOCKS, ENDS, FACTS, PACKET_EVENTS, PROBLEMS, REPLACED

_KEY = "chain, incarnation, height"
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


_FROM_PACKETS = {
    "type": "'channel'",
    "connection": "event.connection",
    "port": "CASE WHEN event.receiving THEN event.dst_port ELSE event.src_port END",
    "channel": "CASE WHEN event.receiving THEN event.dst_channel ELSE event.src_channel END",
}
"""Facts that packets of channels tell about the channel end of their chain."""


class Batch(NamedTuple):
    """Batch of the stream."""

    writer: str  # of the stream; other streams may have batches with the same numbers
    number: int

    @property
    def name(self) -> str:
        """Name in the column `batch`."""
        return f"{self.writer}-{self.number:010d}"


def append_blocks(lake: Lake, blocks: DataFrame, batch: Batch) -> None:
    """Append the blocks of a batch to the silver tables. Repeating it changes nothing.

    Args:
        lake: the tables.
        blocks: rows of the data source `ibc` with the option `rows` set to `blocks`, persisted.
        batch: the batch.
    """
    accepted = _accepted(lake, blocks, batch)
    accepted.createOrReplaceTempView("batch_blocks")
    problems = _problems(lake.spark, accepted.union(blocks.where("digest IS NULL")), batch)
    if not problems.isEmpty():
        lake.append(PROBLEMS, problems, batch.writer, batch.number)
    lake.append(PACKET_EVENTS, _events(lake.spark, batch), batch.writer, batch.number)
    # The blocks come last: a block that is in the table is known with all its events.
    lake.append(BLOCKS, _named(accepted, batch), batch.writer, batch.number)


def facts_in(spark: SparkSession) -> DataFrame:
    """Return the distinct facts in the blocks of a batch, with the first height of each."""
    names = [name for name in FACTS.names if name != "height"]
    own = {"chain", "incarnation"}
    told = (name if name in own else f"fact.{name}" for name in names)
    seen = (name if name in own else f"{_FROM_PACKETS.get(name, 'NULL')} AS {name}" for name in names)
    return spark.sql(
        f"SELECT {', '.join(names)}, min(height) AS height FROM (\n"
        f"SELECT height, {', '.join(told)} FROM batch_blocks LATERAL VIEW explode({FACT_ROLE}) AS fact\n"
        f"UNION ALL SELECT height, {', '.join(seen)} FROM batch_blocks\n"
        "  LATERAL VIEW explode(events) AS event WHERE event.protocol = 1\n"
        ") AS every GROUP BY ALL"
    )


def ends_in(spark: SparkSession) -> DataFrame:
    """Return the ends of paths in the packet events of a batch."""
    names = ", ".join(f"event.{name}" for name in ENDS.names if name not in {"chain", "incarnation"})
    return spark.sql(
        f"SELECT DISTINCT chain, incarnation, {names} FROM batch_blocks LATERAL VIEW explode(events) AS event"
    )


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


def _events(spark: SparkSession, batch: Batch) -> DataFrame:
    return spark.sql(
        f"SELECT chain, incarnation, height, time_ns, event.*, '{batch.name}' AS batch FROM batch_blocks"
        " LATERAL VIEW explode(events) AS event"
    )


def _named(accepted: DataFrame, batch: Batch) -> DataFrame:
    return accepted.selectExpr(
        *(name for name in BLOCKS.names if name != "batch"), f"'{batch.name}' AS batch"
    )


def _problems(spark: SparkSession, blocks: DataFrame, batch: Batch) -> DataFrame:
    blocks.createOrReplaceTempView("batch_read")
    return spark.sql(
        f"SELECT chain, incarnation, height, file, reason, '{batch.name}' AS batch FROM batch_read"
        " LATERAL VIEW explode(problems) AS reason"
    )
