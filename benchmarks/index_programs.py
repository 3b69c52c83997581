"""One run of the index by one engine, in a separate process.

python -m benchmarks.index_programs ENGINE IN OUT

Prints CPU seconds of all its processes since its start (the interpreter, the JVM), wall seconds, and the peak
memory. `spark` and `duckdb` are the same job on two engines, `chosen` is the job on the engine that
`pyibc index` selects by default; `polars` is a hand-written program that does less: it creates the packet
table, is given the pairs of ends and writes no report. `pipeline` and `plain` read lines: the one keeps Delta
tables, the other is a short PySpark job that makes one table of packets.
"""

import json
import os
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.index_world import RECEIVER, SENDER, STEPS

_TICKS = os.sysconf("SC_CLK_TCK")
_START = time.perf_counter()


def by_spark(inputs: Path, out: Path) -> None:
    """Run the job on Spark."""
    from pyibc.indexer.choosing import SPARK, chosen
    from pyibc.indexer.job import index

    index(chosen(SPARK, None, lambda _: None), [inputs], out)


def by_duckdb(inputs: Path, out: Path) -> None:
    """Run the job on DuckDB."""
    from pyibc.indexer.job import index
    from pyibc.indexer.local_engine import here

    index(here, [inputs], out)


def by_chosen(inputs: Path, out: Path) -> None:
    """Run the job on the engine selected by the amount of work."""
    from pyibc.indexer.choosing import chosen
    from pyibc.indexer.job import index

    index(chosen(None, None, lambda _: None), [inputs], out)


def by_polars(_inputs: Path, out: Path) -> None:
    """Create the packet table only."""
    import polars as pl

    from pyibc.indexer.segments.manifest import read_manifest
    from pyibc.indexer.segments.numbers import KINDS

    manifests = [read_manifest(path) for path in sorted((out / ".segments").glob("*.manifest"))]
    ends = Counter({one.end: one.number for manifest in manifests for one in manifest.ends})
    ways = {path: number for number, path in enumerate(sorted({end[2:] for end in ends}))}
    known = pl.DataFrame(
        [(number, ways[end[2:]], end.src_channel, end.dst_channel) for end, number in ends.items()],
        schema=["end_id", "way", "src_channel", "dst_channel"],
        orient="row",
    ).lazy()
    names = pl.scan_parquet(out / ".segments/*.names.parquet").unique()
    first = [
        pl.col(column).filter(pl.col("kind") == number).min().alias(f"{kind}_{column}")
        for number, kind in enumerate(KINDS)
        for column in ("height", "time_ns")
    ]
    relayed = [
        pl.col("relayer_id").min_by(pl.when(pl.col("kind").is_in(kinds)).then(pl.col("place"))).alias(name)
        for kinds, name in (([1], "relayer_recv_id"), ([3, 4], "relayer_back_id"))
    ]
    stated = ("timeout_revision", "timeout_height", "timeout_ns", "denom_id", "amount_low", "amount_high")
    rest = [pl.col(column).max() for column in (*stated, "big_amount_id", "ack_state", "detail_id")]
    events = pl.scan_parquet(out / ".segments/*.events.parquet")
    wanted = ["end_id", "sequence", "kind", "height", "time_ns", "place", "relayer_id", *stated]
    packets = (
        events.select(*wanted, "big_amount_id", "ack_state", "detail_id")
        .join(known.select("end_id", "way"), on="end_id")
        .group_by("way", "sequence")
        .agg(*first, *relayed, *rest)
        .join(known.unique("way").drop("end_id"), on="way")
    )
    for column in ("relayer_recv", "relayer_back", "denom", "big_amount", "detail"):
        field = column.split("_")[0] if column != "big_amount" else column
        one = names.filter(pl.col("field") == field).select(
            pl.col("id").alias(f"{column}_id"), pl.col("name").alias(column)
        )
        packets = packets.join(one, on=f"{column}_id", how="left").drop(f"{column}_id")
    seen = {kind: pl.col(f"{kind}_height").is_not_null() for kind in KINDS}
    table = packets.with_columns(
        pl.lit(SENDER).alias("src_chain"),
        pl.lit(RECEIVER).alias("dst_chain"),
        pl.when(seen["timeout_packet"])
        .then(pl.lit("timed_out"))
        .when(seen["acknowledge_packet"])
        .then(pl.lit("succeeded"))
        .otherwise(pl.lit("sent"))
        .alias("state"),
        *(
            ((pl.col(f"{kind}_time_ns") - pl.col("send_packet_time_ns")) / 1e9).alias(f"{kind}_s")
            for kind in KINDS[1:]
        ),
        *(pl.from_epoch(pl.col(f"{kind}_time_ns") // 1000, "us").alias(f"{kind}_time") for kind in KINDS),
    )
    (out / "packets").mkdir(parents=True, exist_ok=True)
    table.collect(engine="streaming").write_parquet(out / "packets/polars.parquet")


def by_local_pipeline(inputs: Path, out: Path) -> None:
    """Take the blocks to Delta tables in this process, with DuckDB and delta-rs."""
    from pyibc.indexer.pipeline.local_run import run_pipeline

    run_pipeline(inputs, out)


def by_spark_pipeline(inputs: Path, out: Path) -> None:
    """Take the blocks to Delta tables on Spark, with two cores."""
    from pyibc.indexer.pipeline.spark_run import start_pipeline
    from pyibc.indexer.session import open_session

    spark = open_session("local[2]", brief=True, delta=True)
    start_pipeline(spark, inputs, out).awaitTermination()


_LINE = re.compile(r"pyibc1 [0-9a-f]{8} \S+ \d+ \S+ \S+ (?:\S+ )?(?=\{)")
_PARSED = (
    "chain string, height bigint, time_ns bigint, tx_hash string, type string, src_channel string,"
    " dst_channel string, sequence bigint, denom string, amount string, sender string, receiver string"
)


def by_plain(inputs: Path, out: Path) -> None:
    """Create one packet table from the lines, without checks, pairing and states in flight."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    spark.conf.set("spark.sql.shuffle.partitions", "2")
    lines = spark.read.option("recursiveFileLookup", "true").text(str(inputs))
    lines.mapInArrow(_packet_events, _PARSED).createOrReplaceTempView("events")
    kinds = [kind for kind, _, _ in STEPS]
    columns = ", ".join(
        f"min(CASE WHEN type = '{kind}' THEN {column} END) AS {kind}_{column}"
        for kind in kinds
        for column in ("chain", "height", "time_ns", "tx_hash")
    )
    firsts = ", ".join(f"first({name}, TRUE) AS {name}" for name in ("denom", "amount", "sender", "receiver"))
    spark.sql(
        f"SELECT src_channel, dst_channel, sequence, {columns}, {firsts} FROM events"
        " GROUP BY src_channel, dst_channel, sequence"
    ).write.parquet(str(out / "packets"))


def _packet_events(batches: Iterator[Any]) -> Iterator[Any]:
    import pyarrow as pa

    columns = [column.split() for column in _PARSED.split(", ")]
    schema = pa.schema([(name, pa.int64() if kind == "bigint" else pa.string()) for name, kind in columns])
    for batch in batches:
        lines = batch.column("value").to_pylist()
        rows = [row for line in lines for row in _rows_in(json.loads(_LINE.sub("", line, count=1)))]
        values = zip(*rows, strict=True) if rows else ([] for _ in schema)
        arrays = [pa.array(column, field.type) for column, field in zip(values, schema, strict=True)]
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def _rows_in(block: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    for tx in block["txs"]:
        for kind, attributes in tx["events"]:
            told = dict(attributes)
            if "packet_sequence" in told:
                data = json.loads(bytes.fromhex(told.get("packet_data_hex", "")) or "{}")
                yield (
                    *(block["chain_id"], block["height"], block["time_ns"], tx["hash"], kind),
                    *(told["packet_src_channel"], told["packet_dst_channel"], int(told["packet_sequence"])),
                    *(data.get(name) for name in ("denom", "amount", "sender", "receiver")),
                )


def cpu_seconds() -> float:
    """Return CPU seconds of this process and its descendants, including ended ones."""
    return sum(_spent().values()) / _TICKS


def peak_mb() -> float:
    """Return the sum of the peak memory of this process and its running descendants."""
    status = (Path(f"/proc/{process}/status").read_text() for process in _spent())
    held = (one.partition("VmHWM:")[2].split() for one in status)  # a zombie has no figures
    return sum(int(kilobytes) for kilobytes, *_ in filter(None, held)) / 1024


def _spent() -> dict[int, int]:
    """Return CPU ticks of this process and its descendants, by process."""
    parents, spent = dict[int, int](), dict[int, int]()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        process = int(stat.parent.name)
        parents[process] = int(fields[1])
        spent[process] = sum(int(ticks) for ticks in fields[11:15])
    ours = {os.getpid()}
    while more := {p for p, parent in parents.items() if parent in ours} - ours:
        ours |= more
    return {process: spent[process] for process in ours if process in spent}


ENGINES = {"spark": by_spark, "duckdb": by_duckdb}
PROGRAMS = {**ENGINES, "polars": by_polars}

if __name__ == "__main__":
    beside = {"chosen": by_chosen, "plain": by_plain}
    beside |= {"local": by_local_pipeline, "pipeline": by_spark_pipeline}
    {**PROGRAMS, **beside}[sys.argv[1]](Path(sys.argv[2]), Path(sys.argv[3]))
    print(json.dumps({"cpu": cpu_seconds(), "wall": time.perf_counter() - _START, "peak": peak_mb()}))
