"""One run of the index by one engine, in a separate process.

python -m benchmarks.index_programs ENGINE IN OUT
python -m benchmarks.index_programs stream IN OUT HEIGHT

Prints CPU seconds of all its processes since its start (the interpreter, the JVM), wall seconds, and the peak
memory. `local` and `spark` are the pipeline on its two engines, `report` writes the report over the tables of
the first one; `plain` is a short PySpark job that makes one table of packets. `stream` follows the inputs on
Spark, exports one per cent of new blocks above HEIGHT twice, and prints the figures of the second time.
"""

import json
import os
import re
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any

from benchmarks.index_world import STEPS, export_lines

_TICKS = os.sysconf("SC_CLK_TCK")
_START = time.perf_counter()


def by_local_pipeline(inputs: Path, out: Path) -> None:
    """Take the blocks to Delta tables in this process, with DuckDB and delta-rs."""
    from pyibc.indexer.local.run import run_pipeline

    run_pipeline(inputs, out)


def by_report(_: Path, out: Path) -> None:
    """Write the report over the tables in this process; the inputs are not read."""
    from pyibc.indexer import write_results

    write_results(out)


def by_spark_pipeline(inputs: Path, out: Path) -> None:
    """Take the blocks to Delta tables on Spark, with two cores."""
    from pyibc.indexer.spark.run import start_pipeline
    from pyibc.indexer.spark.session import open_session

    spark = open_session("local[2]", brief=True)
    start_pipeline(spark, inputs, out).awaitTermination()


def by_spark_stream(inputs: Path, out: Path, meter: "Meter", height: int) -> dict[str, float]:
    """Follow the inputs; return the CPU and wall seconds of the second one per cent."""
    from pyibc.indexer.spark.run import start_pipeline
    from pyibc.indexer.spark.session import open_session

    query = start_pipeline(open_session("local[2]", brief=True), inputs, out, every_s=1)
    more, spent, wall = max(1, height // 100), 0.0, 0.0
    for number in (0, 1):
        export_lines(inputs, more, height + 1 + number * more)
        spent, wall = meter.seconds(), time.perf_counter()
        # All blocks of both chains: a batch may begin while they are exported.
        while sum(each.numInputRows for each in query.recentProgress) < (number + 1) * 2 * more:
            query.awaitTermination(0.2)  # raises the error of a batch that failed
    found = {"cpu": meter.seconds() - spent, "wall": time.perf_counter() - wall, "peak": peak_mb()}
    query.stop()
    return found


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


class Meter:
    """CPU of this process and its descendants, also of those that have ended.

    A parent has the CPU of the children that it waited for. The daemon of PySpark does not wait for its
    workers, and Spark ends those that were idle for a minute, so a thread looks at them twice a second.
    """

    def __init__(self) -> None:
        self._workers = dict[int, int]()  # CPU ticks of the workers seen so far
        Thread(target=self._watch, daemon=True).start()

    def seconds(self) -> float:
        """Return the CPU seconds."""
        spent = self._look()
        ended = sum(ticks for process, ticks in self._workers.items() if process not in spent)
        return (sum(spent.values()) + ended) / _TICKS

    def _watch(self) -> None:
        while True:
            self._look()
            time.sleep(0.5)

    def _look(self) -> dict[int, int]:
        parents, spent = _processes()
        daemons = {parent for parent in set(parents.values()) & spent.keys() if _is_daemon(parent)}
        seen = {process: ticks for process, ticks in spent.items() if parents[process] in daemons}
        self._workers = self._workers | seen  # a new dict, as the other thread may iterate over the old one
        return spent


def peak_mb() -> float:
    """Return the sum of the peak memory of this process and its running descendants."""
    held = list[list[str]]()
    for process in _processes()[1]:
        with suppress(OSError):  # it has ended
            status = Path(f"/proc/{process}/status").read_text()
            held.append(status.partition("VmHWM:")[2].split())  # a zombie has no figures
    return sum(int(kilobytes) for kilobytes, *_ in filter(None, held)) / 1024


def _is_daemon(process: int) -> bool:
    try:
        return b"pyspark.daemon" in Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:  # it has ended
        return False


def _processes() -> tuple[dict[int, int], dict[int, int]]:
    """Return the parents and the CPU ticks of this process and its descendants, by process."""
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
    return parents, {process: spent[process] for process in ours if process in spent}


PROGRAMS = {
    "local": by_local_pipeline,
    "report": by_report,
    "spark": by_spark_pipeline,
    "plain": by_plain,
}

if __name__ == "__main__":
    meter = Meter()
    name, *places = sys.argv[1:4]
    paths = [Path(place) for place in places]
    if name == "stream":
        print(json.dumps(by_spark_stream(*paths, meter, int(sys.argv[4]))))
    else:
        PROGRAMS[name](*paths)
        print(json.dumps({"cpu": meter.seconds(), "wall": time.perf_counter() - _START, "peak": peak_mb()}))
