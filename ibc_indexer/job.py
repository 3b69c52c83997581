"""The whole run: inputs in, a folder with `packets`, `summary.json` and `report.html` out."""

import contextlib
import json
import shutil
from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from pathlib import Path
from typing import Any, NamedTuple

from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from ibc_indexer.answers import Answers, answer, chain_counts
from ibc_indexer.columns import dictionary, numeric, paths
from ibc_indexer.ends import pair_ends
from ibc_indexer.inputs import Inputs, files_of, gather, stage
from ibc_indexer.lifecycle import aggregate
from ibc_indexer.names.ends import claimed_ends
from ibc_indexer.names.registry import Registered
from ibc_indexer.packet_table import Tip, packet_table
from ibc_indexer.report import write_report
from ibc_indexer.rows import COUNT, PROBLEM
from ibc_indexer.scan import Skipped, scan
from ibc_indexer.table import table_events, usable_tables

SMALL = 64 << 20  # bytes of blocks
WORK = ".work"
Tell = Callable[[str], None]


class Outcome(NamedTuple):
    """What a run found."""

    summary: dict[str, Any]  # as in summary.json
    notes: list[Skipped]
    answers: Answers
    files: list[Path]  # block lines that were read; of recordings in `out/.work`
    tables: list[Path]  # packet tables that were read


def index(spark: SparkSession, inputs: Iterable[Path], out: Path, tell: Tell = lambda _: None) -> Outcome:
    """Indexes `inputs` (files or folders) into the folder `out`, which on a cluster all workers must see.

    What cannot be read is in the summary's `skipped`; the results are written in any case.

    Args:
        spark: a session that knows the data source (`session.open_session`).
        inputs: exports, recordings, packet tables.
        out: made if absent; earlier results in it are replaced.
        tell: hears one line a step.
    """
    try:
        return index_keeping(spark, inputs, out, tell)
    finally:
        shutil.rmtree(out / WORK, ignore_errors=True)


def index_keeping(spark: SparkSession, inputs: Iterable[Path], out: Path, tell: Tell) -> Outcome:
    """As `index`; what recordings were turned into stays in `out/.work`, to be read again."""
    shutil.rmtree(out / WORK, ignore_errors=True)
    out.mkdir(parents=True, exist_ok=True)
    found = gather(files_of(inputs, out=out), lambda path: tell(f"reading {path.name}"))
    staged, unfit = stage(found.blocks, out / WORK / "recorded")
    checked = scan([*found.exports, *staged])
    skipped = [*found.skipped, *unfit, *checked.skipped]
    tell("extracting packet events")
    small = not found.tables and sum(part.length for part in checked.ranges) < SMALL
    with _interpreted(spark) if small else contextlib.nullcontext():
        return _run(spark, found, staged, skipped, out, tell)


@contextlib.contextmanager
def _interpreted(spark: SparkSession) -> Iterator[None]:
    """Without compiling each query, which takes longer than running it where there are few rows."""
    changed = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}
    before = {key: str(spark.conf.get(key)) for key in changed}
    for key, value in changed.items():
        spark.conf.set(key, value)
    try:
        yield
    finally:
        for key, value in before.items():
            spark.conf.set(key, value)


def read_events(
    spark: SparkSession, files: Iterable[Path], tables: Iterable[Path], rows: str = "all"
) -> DataFrame:
    """Rows of block files and packet tables, in the columns of the data source, whose option `rows` is."""
    listed = json.dumps([str(path) for path in files])
    blocks = spark.read.format("ibc").option("paths", listed).option("rows", rows).load()
    return reduce(DataFrame.unionByName, (table_events(spark, path) for path in tables), blocks)


class Lifecycles(NamedTuple):
    """Packets followed through their events."""

    table: DataFrame  # one row a packet
    undecided: set[tuple[int, int]]  # channel ends whose other end is not known
    held: list[DataFrame]  # what is cached for `table`: to be unpersisted after it was written
    notes: list[Skipped]  # ends of which the facts contradict each other


def lifecycles(
    spark: SparkSession, events: DataFrame, tips: list[Tip], registered: Iterable[Registered] = ()
) -> Lifecycles:
    """Follows the packets in `events` (best cached: they are read several times).

    Args:
        spark: the session.
        events: rows of the data source, `read_events`.
        tips: the last block seen of every chain.
        registered: the user's own names of chains.
    """
    numbers, ways, names = numeric(events), paths(events), dictionary(events).cache()
    pairing = pair_ends(spark, numbers, ways)
    packets = aggregate(spark, numbers, pairing)
    claims = claimed_ends(events, registered)
    table = packet_table(spark, packets, tips, names, ways, pairing, claims.rows(spark))
    notes = [*claims.notes, *claims.contradicting(pairing.senders)]
    return Lifecycles(table, pairing.undecided, [names, packets], notes)


def _run(
    spark: SparkSession, found: Inputs, staged: list[Path], skipped: list[Skipped], out: Path, tell: Tell
) -> Outcome:
    tables, refused = usable_tables(spark, found.tables)
    files = [*found.exports, *staged]
    events = read_events(spark, files, tables)
    events = events.persist(StorageLevel.MEMORY_AND_DISK)
    (counts, problems), (blocks, tips) = _counted(events), _chains(events)
    tell(f"following {sum(counts.values())} events")
    followed = lifecycles(spark, events, tips, found.registered)
    followed.table.write.mode("overwrite").parquet(str(out / "packets"))
    for cached in (*followed.held, events):
        cached.unpersist()
    tell("answering")
    packets = spark.read.schema(followed.table.schema).parquet(str(out / "packets"))
    summary = {
        "chains": chain_counts(packets, blocks),
        "events": counts,
        "skipped": [entry._asdict() for entry in sorted({*skipped, *refused, *problems})],
    }
    notes = [*found.notes, *_apart(len(followed.undecided)), *followed.notes]
    answers = answer(packets)
    _write(out / "summary.json", json.dumps(summary, indent=2, sort_keys=True, ensure_ascii=False) + "\n")
    tell("drawing the report")
    _write(out / "report.html", write_report(summary, answers, notes))
    return Outcome(summary, notes, answers, files, tables)


def _counted(events: DataFrame) -> tuple[dict[str, int], list[Skipped]]:
    """Events by type, and the problems workers met.

    Events of blocks are counted as they came, of packet tables the two that a row stands for.
    """
    tabled = F.col("tx_index").isNull() & F.col("sequence").isNotNull()
    chosen = events.where(F.col("type").isin(COUNT, PROBLEM) | tabled)
    name = F.when(tabled, F.col("type")).otherwise(F.col("detail")).alias("name")
    problem = (F.col("type") == PROBLEM).alias("problem")
    rows = chosen.groupBy(problem, name, "file").agg(F.sum(F.coalesce("n", F.lit(1))).alias("n")).collect()
    counts = {row.name: row.n for row in sorted(rows) if not row.problem}
    return counts, [Skipped(row.file, row.name) for row in rows if row.problem]


def _chains(events: DataFrame) -> tuple[dict[str, int], list[Tip]]:
    """By chain: how many heights anything is known of, and the last block."""
    known = events.where(~F.col("type").isin(COUNT, PROBLEM)).groupBy("chain")
    last = [F.max("height").alias("height"), F.max("time_ns").alias("time_ns")]
    rows = known.agg(F.count_distinct("height").alias("blocks"), *last).collect()
    return {row.chain: row.blocks for row in rows}, [Tip(row.chain, row.height, row.time_ns) for row in rows]


def _apart(number: int) -> list[Skipped]:
    what = "receiving ends could not be tied to a sending chain; their packets have rows of their own"
    return [Skipped("", f"{number} {what}")] if number else []


def _write(path: Path, content: str) -> None:
    """Replaces `path` at once."""
    fresh = path.with_name(f".{path.name}.new")
    fresh.write_text(content, encoding="utf-8")
    fresh.replace(path)
