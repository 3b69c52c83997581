"""The packet table of yanagihalab: sends and acknowledgements of three chains, as Parquet.

One row is a `send_packet` and, where `ack_height` is set, its `acknowledge_packet`. It names the sending
chain, the channel and the sequence; ports and the other end are not in it, so its rows stay apart from those
of recordings of the same chain.
"""

from collections.abc import Iterable
from pathlib import Path

import pyarrow.parquet as pq
from pyarrow import ArrowException
from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as F  # noqa: N812

from ibc_core.numbers import MAX_I64
from ibc_indexer.coverage import Heights
from ibc_indexer.errors import UnreadableInput
from ibc_indexer.packet_facts import ACK, SEND
from ibc_indexer.rows import DDL, PROBLEM
from ibc_indexer.scan import Skipped

COLUMNS = ("chain_id", "channel_id", "sequence", "send_height", "send_time", "ack_height", "ack_time")


def check_table(path: Path) -> None:
    """Accepts a Parquet file with the table's columns, after reading them: a bad page would end Spark's run.

    Raises:
        UnreadableInput: it is no Parquet, or another table.
    """
    try:
        with pq.ParquetFile(path) as file:
            missing = [column for column in COLUMNS if column not in file.schema_arrow.names]
            if missing:
                raise UnreadableInput(f"is a Parquet table without {', '.join(missing)}")
            for _ in file.iter_batches(columns=list(COLUMNS)):
                pass
    except (ArrowException, OSError) as error:
        raise UnreadableInput(f"is no readable Parquet file: {str(error)[:100]}") from None


def usable_tables(spark: SparkSession, paths: Iterable[Path]) -> tuple[list[Path], list[Skipped]]:
    """The tables that Spark takes, and why not the others: their names or the types of their columns."""
    usable, skipped = list[Path](), list[Skipped]()
    for path in paths:
        try:
            table_events(spark, path)
        except PySparkException as error:
            reason = str(error).partition("\n")[0]
            skipped.append(Skipped(str(path), f"is a table that Spark refuses: {reason[:200]}"))
        else:
            usable.append(path)
    return usable, skipped


def table_events(spark: SparkSession, path: Path) -> DataFrame:
    """The table as rows of the data source `ibc`; a row without identity becomes a problem."""
    rows = spark.read.parquet(str(path)).withColumn("whole", _is_whole())
    events = F.array(
        F.struct(F.lit(SEND).alias("type"), _long("send_height"), _ns("send_time")),
        F.struct(F.lit(ACK).alias("type"), _long("ack_height"), _ns("ack_time")),
    )
    packets = rows.where("whole").select("chain_id", "channel_id", "sequence", F.explode(events).alias("e"))
    packets = packets.where("e.height is not null").select(
        F.col("e.type").alias("type"),
        F.col("chain_id").alias("chain"),
        F.col("e.height").alias("height"),
        F.col("e.time_ns").alias("time_ns"),
        F.lit(1).alias("protocol"),
        F.col("channel_id").alias("src_channel"),
        _number("sequence").alias("sequence"),
    )
    broken = rows.where("not whole").groupBy().agg(F.count("*").alias("n")).where("n > 0")
    problems = broken.select(
        F.lit(PROBLEM).alias("type"),
        F.concat("n", F.lit(" rows without chain, channel, sequence or send_height")).alias("detail"),
        F.lit(str(path)).alias("file"),
    )
    return _complete(packets).unionByName(_complete(problems))


def table_heights(events: DataFrame) -> dict[str, Heights]:
    """By chain the heights of which packet tables know an event: nothing else is known of these chains."""
    tabled = events.where("tx_index is null and sequence is not null").select("chain", "height").distinct()
    in_order = F.row_number().over(Window.partitionBy("chain").orderBy("height"))
    run = (F.col("height") - in_order).alias("run")  # the same for heights that follow each other
    spans = tabled.select("chain", "height", run).groupBy("chain", "run")
    ranges: dict[str, list[tuple[int, int]]] = {}
    for row in spans.agg(F.min("height").alias("first"), F.max("height").alias("last")).collect():
        ranges.setdefault(row.chain, []).append((row.first, row.last))
    return {chain: Heights.spanning(found) for chain, found in ranges.items()}


def _is_whole() -> Column:
    named = F.col("chain_id").isNotNull() & F.col("channel_id").isNotNull()
    return F.coalesce(named & (_number("sequence") > 0) & (_number("send_height") > 0), F.lit(False))


def _number(column: str) -> Column:
    return F.expr(f"try_cast({column} as bigint)")


def _long(column: str) -> Column:
    return _number(column).alias("height")


def _ns(column: str) -> Column:
    """A time outside 1970..2262 is no time of a block."""
    micros = F.unix_micros(F.expr(f"try_cast({column} as timestamp)"))
    return F.when(micros.between(0, MAX_I64 // 1000), micros * 1000).alias("time_ns")


def _complete(found: DataFrame) -> DataFrame:
    columns = [entry.strip().split(" ") for entry in DDL.split(",")]
    return found.select(
        *(
            (F.col(name) if name in found.columns else F.lit(None)).cast(kind).alias(name)
            for name, kind in columns
        )
    )
