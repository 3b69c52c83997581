"""Report and summary over the tables of the pipeline."""

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from pyibc.indexer.blocks.coverage import Coverage
from pyibc.indexer.bronze.inputs import Told, read_told
from pyibc.indexer.chains.known import Incarnations, chain_coverage, notes_of, with_coverage
from pyibc.indexer.chains.progress import Tip
from pyibc.indexer.chains.registry import Registry, absent_chains
from pyibc.indexer.chains.routes import find_routes as routes_of
from pyibc.indexer.chains.routes import name_chains
from pyibc.indexer.errors import MAX_LISTED, EngineFailed, NoResults, Skipped
from pyibc.indexer.files import StateFolder
from pyibc.indexer.locations import AnyPath, local_path
from pyibc.indexer.pipeline.chains import Chains, update_chains
from pyibc.indexer.pipeline.lake import Batch, Lake, check_entries, exists
from pyibc.indexer.pipeline.places import SOURCE, given_names
from pyibc.indexer.pipeline.routes import find_routes, pairs_of
from pyibc.indexer.pipeline.state import FACT_NAMES, State
from pyibc.indexer.pipeline.tables import PACKET_EVENTS, PROBLEMS, TABLES
from pyibc.indexer.pipeline.views import register_views
from pyibc.indexer.report.options import DEFAULT_OPTIONS, EVERYTHING, ReportOptions, Since, data_end
from pyibc.indexer.report.page import write_report
from pyibc.indexer.results.answers import Answers, answer, chain_counts
from pyibc.indexer.results.table_answers import GAPS_QUERY

_PROBLEMS = f"""
SELECT file, reason, place, number FROM (
  SELECT file, reason, row_number() OVER (PARTITION BY file ORDER BY reason NULLS FIRST) AS place,
    count(*) OVER (PARTITION BY file) AS number
  FROM {{problems}}
) AS placed WHERE place <= {MAX_LISTED}
"""

_SHOWN = 10  # chains in a note

Ask = Callable[[Lake, Mapping[str, Tip]], Any]
"""Additional queries over the views of the results, given the last block of each lineage."""


def compact(summary: str) -> str:
    """Reformat ranges of heights in JSON to one line each."""
    return re.sub(r"\[\n\s+(\d+),\n\s+(\d+)\n\s+\]", r"[\1, \2]", summary) + "\n"


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
    given: Registry  # names and lineages of chains
    since: int | None  # first moment of the window, in unix microseconds; None: everything
    end: int | None  # of the data, likewise; None: not known


def write_report_of(
    lake: Lake,
    registry: AnyPath | None = None,
    options: ReportOptions = DEFAULT_OPTIONS,
    ask: Ask = lambda _lake, _tips: None,
) -> Outcome:
    """Write `summary.json` and `report.html` over the tables of a lake."""
    opened = open_views(lake, registry, options.since)
    known, lineages, tips = opened.chains.joined.known, opened.chains.joined.lineages, opened.chains.tips
    answers = answer(lake, opened.since, opened.end)
    coverage = chain_coverage(known, lineages)
    summary = _summary(opened, coverage)
    notes, asked = list(_notes(opened)), ask(lake, tips)
    page = write_report(summary, answers, notes, tips, options=options)
    folder = StateFolder(opened.lake.url)
    content = json.dumps(summary, indent=2, sort_keys=True, ensure_ascii=False)
    folder.write("summary.json", compact(content).encode())
    folder.write("report.html", page.encode())
    return Outcome(summary, answers, notes, coverage, tips, options, asked)


def check_written(lake: Lake) -> None:
    """Check that a pipeline has written to the folder of a lake.

    Raises:
        NoResults: none has.
    """
    if not exists(lake, PACKET_EVENTS):
        raise NoResults(local_path(lake.url) or lake.url)


def open_views(lake: Lake, registry: AnyPath | None = None, since: Since = EVERYTHING) -> Opened:
    """Register the views of the results in the session of a lake, which a pipeline has written.

    Aggregates in them tell what is in the window of time that begins with `since`.

    Raises:
        NoResults: there are none.
        DamagedLog: an entry is missing in the log of a table.
    """
    check_written(lake)
    with _gaps_named(lake):
        told = read_told(f"{lake.url}/{SOURCE}")
        given = given_names(registry).with_more(told.given)
        lake.expect(lake.rows(f"SELECT count(*) AS number FROM {lake.at(PACKET_EVENTS)}")[0].number)
        state = State.read(lake, Batch("", 0))
        chains = update_chains(lake, state, given)
        end = data_end(chains.tips.values(), time.time_ns() // 1000)
        start = since.start(end)
        register_views(lake, chains, find_routes(state, chains.joined, chains.tips), start)
        return Opened(lake, state, chains, told, given, start, end)


@contextmanager
def _gaps_named(lake: Lake) -> Iterator[None]:
    """If the tables cannot be opened, look for a missing entry in their logs."""
    try:
        yield
    except EngineFailed:
        for table in TABLES:
            check_entries(lake.url, table)
        raise


def _summary(opened: Opened, coverage: Mapping[str, Coverage]) -> dict[str, Any]:
    known, lineages = opened.chains.joined.known, opened.chains.joined.lineages
    skipped = {*opened.told.skipped, *_problems(opened.lake), *opened.chains.joined.ends.refused}
    counts = chain_counts(opened.lake, known.blocks)
    query = "SELECT type, CAST(sum(n) AS bigint) AS number FROM events_by_hour GROUP BY type ORDER BY type"
    events = opened.lake.rows(query)
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


def _absent(opened: Opened) -> Iterator[Skipped]:
    """Describe the chains that the user's files name and no input does."""
    claimed = 2 + FACT_NAMES.index("other_chain")  # after the chain and its incarnation
    known = {key.chain_id for key in opened.state.keys} | {*opened.chains.joined.known.spans}
    absent = absent_chains(opened.given, known | {fact[claimed] for fact in opened.state.facts})
    if absent:
        more = f" and {len(absent) - _SHOWN} others" if len(absent) > _SHOWN else ""
        names = ", ".join(absent[:_SHOWN]) + more
        yield Skipped("", f"your file names chains that are not in the inputs: {names}; check the spelling")


def _notes(opened: Opened) -> Iterator[Skipped]:
    joined = opened.chains.joined
    pairs = pairs_of(opened.state, joined.ends)
    every, _ = routes_of(joined.ends, pairs)
    yield from opened.told.notes
    yield from _absent(opened)
    yield from notes_of(Incarnations(opened.state.keys))
    yield from (Skipped("", note) for note in joined.lineages.notes)
    if pairs.undecided:
        text = "receiving channel ends without a matching sender in the inputs, so with rows of their own"
        yield Skipped("", f"{text}: {pairs.undecided}")
    yield from pairs.differing
    yield from name_chains(every, joined.names)[1]
