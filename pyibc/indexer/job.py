"""Indexing run: reads the inputs and writes the tables, `summary.json` and `report.html`."""

import json
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from pyibc.indexer.answers import Answers, answer, chain_counts
from pyibc.indexer.choosing import LOCAL_ROWS
from pyibc.indexer.coverage import Coverage
from pyibc.indexer.dictionary import collision_notes
from pyibc.indexer.ends import Pairs, pair_ends
from pyibc.indexer.engines import Engine, OpenEngine, columns_of
from pyibc.indexer.errors import IndexerError
from pyibc.indexer.inputs import SEGMENTS, WORK, Inputs, files_of, gather, stage
from pyibc.indexer.joining import Told, join_chains
from pyibc.indexer.known import Known, chain_coverage, known_of, line_coverage, tips_of, with_coverage
from pyibc.indexer.lake.before import LastRun, last_run, weighed
from pyibc.indexer.lake.making import TableBuilder
from pyibc.indexer.lake.publish import Staging
from pyibc.indexer.lake.state import NAME as STATE
from pyibc.indexer.lifecycle import PacketRoutes, find_routes, register_route_ends
from pyibc.indexer.lineage.evidence import comparisons
from pyibc.indexer.lineage.incarnations import Incarnations, notes_of
from pyibc.indexer.lineage.lineages import Lineages
from pyibc.indexer.locking import locked
from pyibc.indexer.names.ways import name_chains
from pyibc.indexer.packet_table import Tip, route_rows
from pyibc.indexer.problems import Skipped
from pyibc.indexer.progress import with_progress
from pyibc.indexer.report.options import DEFAULT_OPTIONS, ReportOptions, data_end
from pyibc.indexer.report.page import write_report
from pyibc.indexer.segments.numbers import EVENT_SCHEMA
from pyibc.indexer.segments.sealing import Sealed, Segment, seal_all
from pyibc.indexer.segments.worker import seal_in_processes
from pyibc.indexer.storage.copies import copies
from pyibc.indexer.storage.locations import Location, check_results, made_in, remove_all, replace
from pyibc.indexer.storage.objects import ObjectPath
from pyibc.indexer.summary import apart, compact
from pyibc.indexer.table_answers import GAPS_QUERY
from pyibc.indexer.tables import end_names

Tell = Callable[[str], None]
Ask = Callable[[Engine, dict[str, Tip]], Any]
"""Additional queries of a run over the finished tables, given the last block of each chain."""


class Outcome(NamedTuple):
    """Result of a run."""

    summary: dict[str, Any]  # as in summary.json
    notes: list[Skipped]
    coverage: dict[str, Coverage]  # by chain
    chains: Incarnations
    lineages: Lineages
    answers: Answers
    segments: list[Segment]  # in `out/.segments`
    tips: dict[str, Tip]  # last block by lineage
    versions: dict[str, int]  # matching versions of the Delta tables
    options: ReportOptions
    asked: Any = None  # result of the additional queries


def index(
    open_engine: OpenEngine,
    inputs: Iterable[Location],
    out: Location,
    tell: Tell = lambda _: None,
    keep: timedelta | None = None,
    options: ReportOptions = DEFAULT_OPTIONS,
    ask: Ask = lambda _engine, _tips: None,
) -> Outcome:
    """Index `inputs` (files or folders) into the folder `out`, which all workers of a cluster must share.

    The next run reads only new and changed inputs. `out/tables.json` replaces the tables atomically.

    Args:
        open_engine: opens the query engine, such as `spark_engine.on_spark` or `local_engine.here`.
        inputs: exports, recordings, packet tables; unreadable ones are listed in the summary.
        out: created if absent; earlier results in it are replaced, or kept if the run is killed.
        tell: called with one line per step.
        keep: time for which superseded files are retained for Delta readers; None removes them, so that the
            tables are also correct as plain Parquet.
        options: time window and names of assets in the report.
        ask: runs additional queries; their result is `asked` of the outcome.

    Raises:
        IndexBusy: another run is writing to `out`.
        FileNotFoundError, StorageFault: an input does not exist, a store failed; earlier results are kept.
        UnusableFolder: table libraries would misinterpret the name of the folder.
    """
    check_results(out)
    with ExitStack() as held:
        out = held.enter_context(_alone(out, tell))
        places = Places(out, _scratch(out, held))
        remove_all(out / WORK)
        held.callback(_cleaned, out)
        found = gather(files_of(inputs, out=out), lambda path: tell(f"reading {path.name}"))
        staged, unfit = _staged(found, out)
        tell("sealing new inputs")
        sealed = seal_all([*found.exports, *staged], found.tables, out / SEGMENTS, seal_in_processes)
        found = found._replace(skipped=[*found.skipped, *unfit, *sealed.skipped])
        return _Run(open_engine, found, sealed, places, tell).done(keep, options, ask)


def _staged(found: Inputs, out: Location) -> tuple[list[Location], list[Skipped]]:
    """Write the blocks of recordings as lines in `out`; return the files, and the skipped blocks."""
    with made_in(out / WORK) as here:
        staged, unfit = stage(found.blocks, here)
    return [out / WORK / path.name for path in staged], unfit


class Places(NamedTuple):
    """Output folders of a run."""

    out: Location
    scratch: Path  # temporary folder on this machine


def _scratch(out: Location, held: ExitStack) -> Path:
    work = out / WORK
    if isinstance(work, ObjectPath):
        return Path(held.enter_context(TemporaryDirectory(prefix="pyibc-work-")))
    return work


def _cleaned(out: Location) -> None:
    with suppress(IndexerError):  # must not hide the error that ended the run
        remove_all(out / WORK)
    copies().forget_unused()


@contextmanager
def _alone(out: Location, tell: Tell = lambda _: None) -> Iterator[Location]:
    """Create the result folder and lock it against other runs; yield the location to use for it.

    The lock on a local folder ends with the process; `storage.lease` locks a folder in a bucket.

    Raises:
        IndexBusy: another run has the lock.
        StorageFault: a bucket cannot be accessed.
    """
    out.mkdir(parents=True, exist_ok=True)
    if isinstance(out, ObjectPath):
        from pyibc.indexer.storage.lease import leased

        with leased(out, [STATE], tell) as guarded:
            yield guarded
        return
    with locked(out):
        yield out


class _Run:
    """Run from segments to results."""

    def __init__(
        self, open_engine: OpenEngine, found: Inputs, sealed: Sealed, places: Places, tell: Tell
    ) -> None:
        self._found, self._sealed, self._places, self._tell = found, sealed, places, tell
        self._manifests = [segment.manifest for segment in sealed.segments]
        self._rows = sum(manifest.rows for manifest in self._manifests)
        tell(f"matching {self._rows} packet events")
        self._known: Known = known_of(self._manifests, sealed.chains)
        self._last: LastRun = last_run(places.out, sealed, self._known.chains)
        work = self._last.work(self._manifests)
        if isinstance(places.out, ObjectPath):
            work = self._rows  # files that are only read must be downloaded, too
        made = self._plan(open_engine(work, places.scratch))
        planned = weighed(made, self._rows)
        if planned > max(work, LOCAL_ROWS):  # more than the manifests suggested: perhaps for another engine
            self._plan(open_engine(planned, places.scratch))

    def _plan(self, engine: Engine) -> int:
        """Plan with `engine` which rows to write; return their approximate number of events."""
        self._engine, out = engine, self._places.out
        apart = engine.apart and isinstance(out, ObjectPath)
        if apart:
            engine.remove(out / WORK)
        work = out / WORK / token_hex(8) if apart else self._places.scratch
        engine.expect(self._rows)
        files = [file for one in self._sealed.segments if (file := one.file("events")) is not None]
        engine.files("events", columns_of(EVENT_SCHEMA), files)
        joined = join_chains(comparisons(engine), self._known, self._told(), self._found.given)
        self._lineages, self._ends, self._names = joined.lineages, joined.ends, joined.names
        self._pairs: Pairs = pair_ends(engine, self._ends)
        self._ways: PacketRoutes = find_routes(self._ends, self._pairs)
        register_route_ends(engine, self._ends, self._ways)
        named, self._differing = name_chains(self._ways.every, self._names)
        tips, coverage = tips_of(self._known, self._lineages), line_coverage(self._known, self._lineages)
        self._tips = with_progress(engine, self._sealed.segments, joined.placed, tips, coverage)
        self._route_rows = route_rows(self._ways.every, named, self._tips, self._lineages.origin)
        staging = Staging(out, work)
        self._builder = TableBuilder(
            engine, self._sealed, self._known.chains, self._lineages, self._last, staging
        )
        return self._builder.planned(self._ways, self._route_rows)

    def _told(self) -> Told:
        manifests = self._manifests
        ends = [end for manifest in manifests for end in manifest.ends]
        return Told(ends, [fact for manifest in manifests for fact in manifest.told])

    def done(self, keep: timedelta | None, options: ReportOptions, ask: Ask) -> Outcome:
        """Write the tables, run the queries of the report, and commit."""
        builder, out = self._builder, self._places.out
        self._tell("writing tables")
        builder.packets(self._ways, self._route_rows)
        builder.rows_of_segments()
        builder.small(end_names(self._names))
        self._tell("running the report queries")
        builder.register()
        summary = self._summary(collision_notes(builder.shared))
        tips = self._tips
        end = data_end(tips.values(), time.time_ns() // 1000)
        answers = answer(self._engine, options.since.start(end), end)
        asked = ask(self._engine, tips)
        notes = [*self._found.notes, *notes_of(self._sealed.chains)]
        notes += [*(Skipped("", note) for note in self._lineages.notes), *apart(self._pairs.undecided)]
        notes += [*self._pairs.differing, *self._differing, *self._damaged()]
        self._tell("writing the report")
        page = write_report(summary, answers, notes, tips, options=options)
        state = builder.commit(keep)
        content = compact(json.dumps(summary, indent=2, sort_keys=True, ensure_ascii=False))
        replace(out / "summary.json", content.encode())
        replace(out / "report.html", page.encode())
        return Outcome(
            summary,
            notes,
            chain_coverage(self._known, self._lineages),
            self._sealed.chains,
            self._lineages,
            answers,
            self._sealed.segments,
            tips,
            state.tables,
            options,
            asked,
        )

    def _damaged(self) -> Iterator[Skipped]:
        """Describe files of earlier runs whose content is not what was written."""
        for path in (*self._sealed.damaged, *self._last.damaged):
            yield Skipped(str(path), "was damaged since an earlier run: made anew from the inputs")

    def _summary(self, shared: list[Skipped]) -> dict[str, Any]:
        problems = [problem for manifest in self._manifests for problem in manifest.problems]
        skipped = {*self._found.skipped, *problems, *self._ends.refused, *shared}
        counts = chain_counts(self._engine, self._known.blocks)
        return {
            "chains": with_coverage(counts, chain_coverage(self._known, self._lineages), self._lineages),
            "events": self._known.events,
            "gaps_query": GAPS_QUERY,
            "skipped": [entry._asdict() for entry in sorted(skipped)],
        }
