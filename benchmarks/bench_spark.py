"""The indexer: a million packet events to one row a packet, beside pandas; and reading exported blocks.

python -m benchmarks.bench_spark

CPU is that of all processes (the JVM and its Python workers too). The same Parquet file of events is the
input of both, a Parquet file of packets the output. "first" is the first run of a fresh session.
"""

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pandas as pd
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import StructType

from ibc_core.host.block import CommittedBlock, TxOutcome
from ibc_indexer.export import BlockExporter
from ibc_indexer.job import lifecycles
from ibc_indexer.packet_table import Tip
from ibc_indexer.rows import DDL
from ibc_indexer.session import open_session
from ibc_indexer.source import IbcReader

EVENTS = 1_000_000
CHANNELS = 40
BLOCKS = 200  # exported, of a hundred packet events each
STEPS = (
    ("send_packet", "a-1", 0),
    ("recv_packet", "b-1", 2),
    ("write_acknowledgement", "b-1", 2),
    ("acknowledge_packet", "a-1", 4),
)
_TICKS = os.sysconf("SC_CLK_TCK")


class Row(NamedTuple):
    """One figure."""

    name: str
    cpu_us: float  # an event, all processes
    wall_s: float
    ratio: float | None  # CPU against the baseline of the same run


def rows(events: int = EVENTS) -> list[Row]:
    """The job cold and warm, pandas, and the reading of blocks."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        spark = open_session("local[2]")
        reading = _reading(root / "export")
        _write_events(spark, root / "events", events)
        tips = [Tip(chain, events, events * 10**9) for chain in ("a-1", "b-1")]
        job = [_timed(lambda: _job(spark, root, tips)) for _ in range(3)]
        base = min(_timed(lambda: _pandas(root)) for _ in range(3))
        _check(root, events)
        spark.stop()
    found = [("job, first", job[0]), ("job, warm", min(job[1:])), ("pandas", base)]
    table = [Row(f"{name}: an event", cpu / events * 1e6, wall, cpu / base[0]) for name, (cpu, wall) in found]
    return [*table, reading]


def show(found: list[Row]) -> None:
    """Prints a table."""
    print(f"{'operation':44}{'CPU us':>10}{'wall s':>10}{'ratio':>8}")
    for row in found:
        ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
        print(f"{row.name:44}{row.cpu_us:>10.1f}{row.wall_s:>10.1f}{ratio:>8}")
    print("ratio: CPU against pandas of the same run")


def _job(spark: SparkSession, root: Path, tips: list[Tip]) -> None:
    events = spark.read.parquet(str(root / "events"))
    followed = lifecycles(spark, events, tips)
    followed.table.write.mode("overwrite").parquet(str(root / "packets"))
    for cached in followed.held:
        cached.unpersist()


def _pandas(root: Path) -> None:
    """The same rows by one groupby, without pairing ends, names and states: a lower bound of the work."""
    key = ["src_channel", "sequence"]
    found = pd.read_parquet(root / "events")
    for kind, _, _ in STEPS:
        here = found["type"] == kind
        found[f"{kind}_height"] = found["height"].where(here)
        found[f"{kind}_ns"] = found["time_ns"].where(here)
    first = {c: "min" for kind, _, _ in STEPS for c in (f"{kind}_height", f"{kind}_ns")}
    kept = {"denom": "first", "amount": "first", "relayer": "first", "ack": "first", "timeout_ns": "max"}
    packets = found.groupby(key, sort=False).agg(first | kept).reset_index()
    packets["ack_latency_s"] = (packets["acknowledge_packet_ns"] - packets["send_packet_ns"]) / 1e9
    packets.to_parquet(root / "pandas.parquet")


def _check(root: Path, events: int) -> None:
    ours, theirs = pd.read_parquet(root / "packets"), pd.read_parquet(root / "pandas.parquet")
    if not len(ours) == len(theirs) == events // len(STEPS) or set(ours["state"]) != {"acknowledged"}:
        raise RuntimeError("the two do not agree on the packets")


def _write_events(spark: SparkSession, path: Path, events: int) -> None:
    packets = spark.range(events // len(STEPS), numPartitions=4)
    steps = F.array(*(_step(*step) for step in STEPS))
    data = packets.select((F.col("id") % CHANNELS).alias("channel"), "id", F.explode(steps).alias("s"))
    _complete(data.select("*", "s.*")).write.parquet(str(path))


def _step(kind: str, chain: str, later: int) -> F.Column:
    height = (F.col("id") / 50).cast("bigint") + 1 + later
    return F.struct(F.lit(kind).alias("type"), F.lit(chain).alias("chain"), height.alias("height"))


def _complete(data: DataFrame) -> DataFrame:
    stated = F.col("type") != "acknowledge_packet"
    known = {
        "time_ns": F.col("height") * 6 * 10**9,
        "tx_index": F.lit(0),
        "protocol": F.lit(1),
        **dict.fromkeys(("src_port", "dst_port"), F.lit("transfer")),
        "src_channel": F.concat(F.lit("channel-"), "channel"),
        "dst_channel": F.concat(F.lit("channel-"), F.col("channel") + 100),
        "sequence": (F.col("id") / CHANNELS).cast("bigint") + 1,
        "timeout_ns": F.col("id") * 1000 + 10**18,
        "data_digest": F.when(stated, F.xxhash64("id")),
        "denom": F.when(stated, F.concat(F.lit("denom"), F.col("channel") % 7)),
        "amount": F.when(stated, (F.col("id") * 997).cast("string")),
        "relayer": F.when(F.col("type") != "send_packet", F.concat(F.lit("relayer"), F.col("channel") % 5)),
        "ack": F.when(F.col("type") == "write_acknowledgement", "success"),
    }
    plain = {name: F.col(name) for name in ("type", "chain", "height")}
    columns = known | plain
    schema = StructType.fromDDL(DDL)
    return data.select(*(columns.get(f.name, F.lit(None)).cast(f.dataType).alias(f.name) for f in schema))


def _reading(folder: Path) -> Row:
    """One process reads blocks with the data source's own reader."""
    with BlockExporter(folder) as exporter:
        for height in range(1, BLOCKS + 1):
            exporter.write(_block(height))
    reader = IbcReader(StructType.fromDDL(DDL), {"path": str(folder), "rows": "all"})
    start, wall = time.process_time(), time.perf_counter()
    count = sum(batch.num_rows for part in reader.partitions() for batch in reader.read(part)) - BLOCKS
    spent, wall = time.process_time() - start, time.perf_counter() - wall
    return Row("reading exported blocks: a packet event", spent / count * 1e6, wall, None)


def _block(height: int) -> CommittedBlock:
    data = b'{"denom":"uatom","amount":"123456","sender":"cosmos1sender","receiver":"osmo1receiver"}'.hex()
    events = []
    for number in range(100):
        attributes = {
            "packet_data_hex": data,
            "packet_timeout_height": "1-500",
            "packet_timeout_timestamp": "1700000000000000000",
            "packet_sequence": str(height * 100 + number),
            "packet_src_port": "transfer",
            "packet_src_channel": "channel-0",
            "packet_dst_port": "transfer",
            "packet_dst_channel": "channel-1",
            "packet_channel_ordering": "ORDER_UNORDERED",
            "connection_id": "connection-0",
        }
        events += [
            ("message", (("action", "send"), ("sender", "a"))),
            ("send_packet", tuple(attributes.items())),
        ]
    tx = TxOutcome(b"t" * 300, 0, "", tuple(events), 1, 1)
    return CommittedBlock("a-1", height, height * 10**9, b"", (tx,), ())


def _timed(work: Callable[[], None]) -> tuple[float, float]:
    """(CPU seconds of this process and all below it, wall seconds)."""
    before, start = _cpu(), time.perf_counter()
    work()
    return _cpu() - before, time.perf_counter() - start


def _cpu() -> float:
    """CPU seconds of this process, its descendants and those of them that ended."""
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
    return sum(spent[process] for process in ours if process in spent) / _TICKS


if __name__ == "__main__":
    show(rows())
