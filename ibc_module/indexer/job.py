"""The whole run: inputs in, a folder with `packets`, `summary.json` and `report.html` out."""

import json
import shutil
from collections.abc import Callable, Iterable
from functools import reduce
from pathlib import Path
from typing import Any, NamedTuple

from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from ibc_module.indexer.answers import Answers, answer, chain_counts
from ibc_module.indexer.columns import dictionary, numeric, paths
from ibc_module.indexer.ends import pair_ends
from ibc_module.indexer.inputs import Inputs, files_of, gather, stage
from ibc_module.indexer.lifecycle import aggregate
from ibc_module.indexer.packet_table import Tip, packet_table
from ibc_module.indexer.report import write_report
from ibc_module.indexer.rows import COUNT, PROBLEM
from ibc_module.indexer.scan import Skipped, scan
from ibc_module.indexer.table import table_events

Tell = Callable[[str], None]


class Outcome(NamedTuple):
    """What a run found."""

    summary: dict[str, Any]  # as in summary.json
    notes: list[Skipped]
    answers: Answers


def index(spark: SparkSession, inputs: Iterable[Path], out: Path, tell: Tell = lambda _: None) -> Outcome:
    """Indexes `inputs` (files or folders) into the folder `out`, which on a cluster all workers must see.

    What cannot be read is in the summary's `skipped`; the results are written in any case.

    Args:
        spark: a session that knows the data source (`session.open_session`).
        inputs: exports, recordings, packet tables.
        out: made if absent; earlier results in it are replaced.
        tell: hears one line a step.
    """
    work = out / ".work"
    shutil.rmtree(work, ignore_errors=True)
    out.mkdir(parents=True, exist_ok=True)
    try:
        found = gather(files_of(inputs, out=out), lambda path: tell(f"reading {path.name}"))
        staged, unfit = stage(found.blocks, work / "recorded")
        checked = scan([*found.exports, *staged])
        skipped = [*found.skipped, *unfit, *checked.skipped]
        tell("extracting packet events")
        return _run(spark, found, staged, skipped, out, tell)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def read_events(spark: SparkSession, files: Iterable[Path], tables: Iterable[Path]) -> DataFrame:
    """All rows of block files and packet tables, in the columns of the data source."""
    listed = json.dumps([str(path) for path in files])
    blocks = spark.read.format("ibc").option("paths", listed).option("rows", "all").load()
    return reduce(DataFrame.unionByName, (table_events(spark, path) for path in tables), blocks)


def lifecycles(spark: SparkSession, events: DataFrame) -> tuple[DataFrame, list[Tip], set[tuple[int, int]]]:
    """The packet table of `events`, the last block of every chain, and the channel ends left unpaired."""
    numbers, ways, names = numeric(events), paths(events).cache(), dictionary(events).cache()
    last = events.where("chain is not null and type != 'count'").groupBy("chain")
    tips = [Tip(*row) for row in last.agg(F.max("height"), F.max("time_ns")).collect()]
    pairing = pair_ends(spark, numbers, ways)
    packets = aggregate(spark, numbers, pairing)
    table = packet_table(spark, packets, tips, names, ways, pairing)
    return table, tips, pairing.undecided


def _run(
    spark: SparkSession, found: Inputs, staged: list[Path], skipped: list[Skipped], out: Path, tell: Tell
) -> Outcome:
    events = read_events(spark, [*found.exports, *staged], found.tables)
    events = events.persist(StorageLevel.MEMORY_AND_DISK)
    counts, blocks, problems = _event_counts(events), _block_counts(events), _problems(events)
    tell(f"following {sum(counts.values())} events")
    table, _, undecided = lifecycles(spark, events)
    table.write.mode("overwrite").parquet(str(out / "packets"))
    events.unpersist()
    tell("answering")
    packets = spark.read.parquet(str(out / "packets"))
    all_skipped = sorted({*skipped, *problems})
    summary = {
        "chains": chain_counts(packets, blocks),
        "events": counts,
        "skipped": [entry._asdict() for entry in all_skipped],
    }
    notes = [*found.notes, *([_apart(len(undecided))] if undecided else [])]
    answers = answer(packets)
    _write(out / "summary.json", json.dumps(summary, indent=2, sort_keys=True, ensure_ascii=False) + "\n")
    tell("drawing the report")
    _write(out / "report.html", write_report(summary, answers, notes))
    return Outcome(summary, notes, answers)


def _event_counts(events: DataFrame) -> dict[str, int]:
    """Events by type: of blocks as they came, of packet tables the two that a row stands for."""
    counted = events.where(F.col("type") == COUNT).select(F.col("detail").alias("type"), "n")
    tabled = events.where("tx_index is null and sequence is not null").select("type", F.lit(1).alias("n"))
    rows = counted.unionByName(tabled).groupBy("type").agg(F.sum("n").alias("n")).orderBy("type").collect()
    return {row.type: row.n for row in rows}


def _block_counts(events: DataFrame) -> dict[str, int]:
    """Heights of each chain of which anything is known."""
    known = events.where("type not in ('count', 'problem')").groupBy("chain")
    return {row.chain: row.n for row in known.agg(F.count_distinct("height").alias("n")).collect()}


def _problems(events: DataFrame) -> list[Skipped]:
    found = events.where(F.col("type") == PROBLEM).select("file", "detail").distinct().collect()
    return [Skipped(row.file, row.detail) for row in found]


def _apart(number: int) -> Skipped:
    what = "receiving ends could not be tied to a sending chain; their packets have rows of their own"
    return Skipped("", f"{number} {what}")


def _write(path: Path, content: str) -> None:
    """Replaces `path` at once."""
    fresh = path.with_name(f".{path.name}.new")
    fresh.write_text(content, encoding="utf-8")
    fresh.replace(path)
