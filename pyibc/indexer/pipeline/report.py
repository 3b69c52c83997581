"""Report and summary over the tables of the pipeline."""

import json
import time
from collections.abc import Callable, Container, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from pyibc.indexer.answers import Answers, answer, chain_counts
from pyibc.indexer.bronze.files import StateFolder
from pyibc.indexer.bronze.recordings import Told, read_told
from pyibc.indexer.coverage import Coverage
from pyibc.indexer.known import chain_coverage, with_coverage
from pyibc.indexer.lifecycle import find_routes as routes_of
from pyibc.indexer.lineage.incarnations import Incarnations, notes_of
from pyibc.indexer.locations import AnyPath, folder_here
from pyibc.indexer.names.ways import name_chains
from pyibc.indexer.packet_table import Tip
from pyibc.indexer.pipeline.lake import Lake
from pyibc.indexer.pipeline.observations import Batch
from pyibc.indexer.pipeline.places import given_names, results_url
from pyibc.indexer.pipeline.progress import Chains, update_chains
from pyibc.indexer.pipeline.routes import find_routes, pairs_of
from pyibc.indexer.pipeline.state import State
from pyibc.indexer.pipeline.steps import SOURCE
from pyibc.indexer.pipeline.tables import PACKET_EVENTS, PROBLEMS
from pyibc.indexer.pipeline.views import register_views
from pyibc.indexer.problems import MAX_LISTED, Skipped
from pyibc.indexer.report.options import DEFAULT_OPTIONS, ReportOptions, data_end
from pyibc.indexer.report.page import write_report
from pyibc.indexer.summary import apart, compact
from pyibc.indexer.table_answers import GAPS_QUERY
from pyibc.indexer.transfers.rows import TRANSFERS

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
    from pyspark.sql import SparkSession

_PROBLEMS = f"""
SELECT file, reason, place, number FROM (
  SELECT file, reason, row_number() OVER (PARTITION BY file ORDER BY reason NULLS FIRST) AS place,
    count(*) OVER (PARTITION BY file) AS number
  FROM {{problems}}
) AS placed WHERE place <= {MAX_LISTED}
"""


Ask = Callable[[Lake, Mapping[str, Tip]], Any]
"""Additional queries over the views of the results, given the last block of each lineage."""


class Outcome(NamedTuple):
    """Answers of the report over the tables, and what they are based on."""

    summary: dict[str, Any]  # as in summary.json
    answers: Answers
    notes: list[Skipped]
    coverage: dict[str, Coverage]  # known heights by chain
    tips: dict[str, Tip]  # last block by lineage
    options: ReportOptions
    asked: Any = None  # result of the additional queries

    @property
    def events(self) -> int:
        """Number of packet events."""
        return sum(self.summary["events"].values())


class Opened(NamedTuple):
    """Views of the results."""

    lake: Lake
    state: State
    chains: Chains
    told: Told  # of inputs other than block lines


def result_views(spark: "SparkSession", out: AnyPath, *, registry: AnyPath | None = None) -> "SparkSession":
    """Return a new session that has the tables of the results as temporary views.

    They are `packets`, `transfers`, `calls`, `call_messages`, `blocks`, `events`, `transactions`, `messages`,
    `clients`, `channels` and `chains`, with the columns that `pyibc index` gives them.

    Args:
        spark: a session with Delta Lake.
        out: path or URL of the folder in which a pipeline keeps its tables.
        registry: the user's file with names and lineages of chains, as given to the pipeline.
    """
    from pyibc.indexer.pipeline.spark_lake import SparkLake

    lake = SparkLake(spark.newSession(), results_url(out))
    open_views(lake, registry)
    return lake.spark


def open_results(out: AnyPath, *, registry: AnyPath | None = None) -> "DuckDBPyConnection":
    """Return a connection of DuckDB that has the tables of the results as views, as `result_views` does.

    The tables are read as they are now: open them anew to see later batches.

    Args:
        out: folder of this machine in which a pipeline keeps its tables.
        registry: the user's file with names and lineages of chains, as given to the pipeline.

    Raises:
        EngineFailed: the folder has no such tables, or they need a feature that only Spark has.
    """
    from pyibc.indexer.pipeline.local_lake import LocalLake

    lake = LocalLake(folder_here(out))
    open_views(lake, registry)
    return lake.connection


def write_results(
    out: AnyPath,
    *,
    spark: "SparkSession | None" = None,
    registry: AnyPath | None = None,
    options: ReportOptions = DEFAULT_OPTIONS,
) -> Outcome:
    """Write `summary.json` and `report.html` beside the tables of a pipeline.

    Args:
        out: path or URL of the folder in which a pipeline keeps its tables.
        spark: a session with Delta Lake; None: DuckDB reads the tables, which are on this machine.
        registry: the user's file with names and lineages of chains, as given to the pipeline.
        options: time window and names of assets in the report.
    """
    if spark is not None:
        from pyibc.indexer.pipeline.spark_lake import SparkLake

        return write_report_of(SparkLake(spark.newSession(), results_url(out)), registry, options)
    from pyibc.indexer.pipeline.local_lake import LocalLake

    return write_report_of(LocalLake(folder_here(out)), registry, options)


def write_report_of(
    lake: Lake,
    registry: AnyPath | None = None,
    options: ReportOptions = DEFAULT_OPTIONS,
    ask: Ask = lambda _lake, _tips: None,
) -> Outcome:
    """Write `summary.json` and `report.html` over the tables of a lake."""
    opened = open_views(lake, registry, kept=(TRANSFERS,))  # several queries read it
    known, lineages, tips = opened.chains.joined.known, opened.chains.joined.lineages, opened.chains.tips
    end = data_end(tips.values(), time.time_ns() // 1000)
    answers = answer(lake, options.since.start(end), end)
    coverage = chain_coverage(known, lineages)
    summary = _summary(opened, coverage)
    notes, asked = list(_notes(opened)), ask(lake, tips)
    page = write_report(summary, answers, notes, tips, options=options)
    folder = StateFolder(opened.lake.url)
    content = json.dumps(summary, indent=2, sort_keys=True, ensure_ascii=False)
    folder.write("summary.json", compact(content).encode())
    folder.write("report.html", page.encode())
    return Outcome(summary, answers, notes, coverage, tips, options, asked)


def open_views(lake: Lake, registry: AnyPath | None = None, kept: Container[str] = ()) -> Opened:
    """Register the views of the results in the session of a lake, which a pipeline has written.

    The rows of the views in `kept` are computed once.
    """
    told = read_told(f"{lake.url}/{SOURCE}")
    given = given_names(registry).with_more(told.given)
    lake.expect(lake.rows(f"SELECT count(*) AS number FROM {lake.at(PACKET_EVENTS)}")[0].number)
    state = State(lake, Batch("", 0))
    chains = update_chains(lake, state, given)
    register_views(lake, chains, find_routes(state, chains.joined, chains.tips), kept)
    return Opened(lake, state, chains, told)


def _summary(opened: Opened, coverage: Mapping[str, Coverage]) -> dict[str, Any]:
    known, lineages = opened.chains.joined.known, opened.chains.joined.lineages
    skipped = {*opened.told.skipped, *_problems(opened.lake), *opened.chains.joined.ends.refused}
    counts = chain_counts(opened.lake, known.blocks)
    events = opened.lake.rows("SELECT type, count(*) AS number FROM events GROUP BY type ORDER BY type")
    return {
        "chains": with_coverage(counts, coverage, lineages),
        "events": {row.type: row.number for row in events},
        "gaps_query": GAPS_QUERY,
        "skipped": [entry._asdict() for entry in sorted(skipped)],
    }


def _problems(lake: Lake) -> Iterator[Skipped]:
    for row in lake.rows(_PROBLEMS.format(problems=lake.at(PROBLEMS))):
        yield Skipped(row.file or "", row.reason)
        if row.place == MAX_LISTED and row.number > MAX_LISTED:
            yield Skipped(row.file or "", f"{row.number - MAX_LISTED} more lines with problems")


def _notes(opened: Opened) -> Iterator[Skipped]:
    joined = opened.chains.joined
    pairs = pairs_of(opened.state, joined.ends)
    every, _ = routes_of(joined.ends, pairs)
    yield from opened.told.notes
    yield from notes_of(Incarnations(opened.state.keys))
    yield from (Skipped("", note) for note in joined.lineages.notes)
    yield from apart(pairs.undecided)
    yield from pairs.differing
    yield from name_chains(every, joined.names)[1]
