"""The whole run: inputs in, a folder of tables, `summary.json` and `report.html` out."""

import errno
import fcntl
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from ibc_indexer.answers import Answers, answer, chain_counts
from ibc_indexer.choosing import LOCAL_ROWS
from ibc_indexer.coverage import Coverage
from ibc_indexer.dictionary import told
from ibc_indexer.ends import Ends, Pairs, all_ends, pair_ends
from ibc_indexer.engines import Engine, OpenEngine, columns_of
from ibc_indexer.errors import IndexBusy, IndexerError
from ibc_indexer.incarnations import Incarnations
from ibc_indexer.inputs import SEGMENTS, WORK, Inputs, files_of, gather, stage
from ibc_indexer.known import Known, known_of, with_coverage
from ibc_indexer.lake.before import LastRun, last_run, weighed
from ibc_indexer.lake.making import Making
from ibc_indexer.lake.publish import Staging
from ibc_indexer.lake.state import NAME as STATE
from ibc_indexer.lifecycle import Ways, find_ways
from ibc_indexer.names.resolve import Names
from ibc_indexer.names.told import all_told
from ibc_indexer.names.ways import name_chains
from ibc_indexer.packet_table import Tip, way_rows
from ibc_indexer.report import write_report
from ibc_indexer.scan import Skipped, notes_of
from ibc_indexer.segments.numbers import EVENT_SCHEMA
from ibc_indexer.segments.sealing import Sealed, Segment, seal_all
from ibc_indexer.segments.worker import seal_in_processes
from ibc_indexer.storage.copies import copies
from ibc_indexer.storage.locations import Location, check_results, made_in, remove_all, replace
from ibc_indexer.storage.objects import ObjectPath
from ibc_indexer.tables import end_names

Tell = Callable[[str], None]
_NO_LOCKS = {errno.EBADF, errno.EINVAL, errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP}


class Outcome(NamedTuple):
    """What a run found."""

    summary: dict[str, Any]  # as in summary.json
    notes: list[Skipped]
    coverage: dict[str, Coverage]  # which heights of every chain are known
    chains: Incarnations
    answers: Answers
    segments: list[Segment]  # what was read, in `out/.segments`
    tips: dict[str, Tip]  # the last block of every chain
    versions: dict[str, int]  # of the tables in Delta's logs: those that belong together


def index(
    open_engine: OpenEngine,
    inputs: Iterable[Location],
    out: Location,
    tell: Tell = lambda _: None,
    keep: timedelta | None = None,
) -> Outcome:
    """Indexes `inputs` (files or folders) into the folder `out`, which on a cluster all workers must see.

    What cannot be read is in the summary's `skipped`; the results are written in any case. Sealed ranges
    stay in `out/.segments`: another run with the same `out` seals what is new or was changed, and makes those
    rows anew that this can change. It replaces the tables at once, by `out/tables.json`: one that is killed
    before leaves them as they were.

    Args:
        open_engine: what answers the queries: `spark_engine.on_spark`, `local_engine.here`, either by size.
        inputs: exports, recordings, packet tables.
        out: made if absent; earlier results in it are replaced.
        tell: hears one line a step.
        keep: how long files of superseded versions stay for readers of Delta that began with them; None: not
            at all, so that the tables are right as plain Parquet, too.

    Raises:
        IndexBusy: another run writes to `out`.
        StorageFault, FileNotFoundError: a bucket fails, an input is not there: results are as they were.
        UnusableFolder: no tables can be in a folder of this name; nothing is made.
    """
    check_results(out)
    out.mkdir(parents=True, exist_ok=True)
    with ExitStack() as held:
        out = held.enter_context(_alone(out, tell))
        places = Places(out, _scratch(out, held))
        remove_all(out / WORK)
        held.callback(_cleaned, out)
        found = gather(files_of(inputs, out=out), lambda path: tell(f"reading {path.name}"))
        staged, unfit = _staged(found, out)
        tell("sealing what is new")
        sealed = seal_all([*found.exports, *staged], found.tables, out / SEGMENTS, seal_in_processes)
        found = found._replace(skipped=[*found.skipped, *unfit, *sealed.skipped])
        return _Run(open_engine, found, sealed, places, tell).done(keep)


def _staged(found: Inputs, out: Location) -> tuple[list[Location], list[Skipped]]:
    """Lines of the blocks in recordings, in `out`, and what cannot be a line."""
    with made_in(out / WORK) as here:
        staged, unfit = stage(found.blocks, here)
    return [out / WORK / path.name for path in staged], unfit


class Places(NamedTuple):
    """Where a run writes."""

    out: Location
    scratch: Path  # of this machine, for a while


def _scratch(out: Location, held: ExitStack) -> Path:
    work = out / WORK
    if isinstance(work, ObjectPath):
        return Path(held.enter_context(TemporaryDirectory(prefix="pyibc-work-")))
    return work


def _cleaned(out: Location) -> None:
    with suppress(IndexerError):  # what ended the run is told
        remove_all(out / WORK)
    copies().forget_unused()


@contextmanager
def _alone(out: Location, tell: Tell = lambda _: None) -> Iterator[Location]:
    """Keeps other runs from a folder, which is to be used as it is given here.

    The system lets go of a folder of this machine when a process ends; of a bucket see `storage.lease`.

    Raises:
        IndexBusy: another run has it.
        StorageFault: a bucket cannot be asked.
    """
    if isinstance(out, ObjectPath):
        from ibc_indexer.storage.lease import leased

        with leased(out, [STATE], tell) as guarded:
            yield guarded
        return
    folder = os.open(out, os.O_RDONLY)
    try:
        _lock(folder, out)
        yield out
    finally:
        os.close(folder)


def _lock(folder: int, out: Path) -> None:
    """Locks a folder, where its file system has locks for folders: NFS has none."""
    try:
        # guard: h113-a-second-run-is-let-in drop
        #   test_h113_a_second_run_on_the_same_results_is_refused_and_changes_nothing
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise IndexBusy(str(out)) from None
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise


class _Run:
    """A run, from sealed ranges to results."""

    def __init__(
        self, open_engine: OpenEngine, found: Inputs, sealed: Sealed, places: Places, tell: Tell
    ) -> None:
        self._found, self._sealed, self._places, self._tell = found, sealed, places, tell
        self._manifests = [segment.manifest for segment in sealed.segments]
        self._rows = sum(manifest.rows for manifest in self._manifests)
        tell(f"following {self._rows} events")
        self._known: Known = known_of(self._manifests, sealed.chains)
        self._ends: Ends = all_ends((end for one in self._manifests for end in one.ends), sealed.chains)
        facts = (fact for manifest in self._manifests for fact in manifest.told)
        self._names = Names(all_told(facts, sealed.chains), found.registered)
        self._last: LastRun = last_run(places.out, sealed, self._known.chains)
        work = self._last.work(self._manifests)
        if isinstance(places.out, ObjectPath):
            work = self._rows  # what is looked at is fetched
        made = self._plan(open_engine(work, places.scratch))
        planned = weighed(made, self._rows)
        if planned > max(work, LOCAL_ROWS):  # more than manifests told: perhaps for another engine
            self._plan(open_engine(planned, places.scratch))

    def _plan(self, engine: Engine) -> int:
        """Finds what is to be made, by this engine; returns of about how many events."""
        self._engine, out = engine, self._places.out
        apart = engine.apart and isinstance(out, ObjectPath)
        if apart:
            engine.remove(out / WORK)
        work = out / WORK / token_hex(8) if apart else self._places.scratch
        engine.expect(self._rows)
        files = [file for one in self._sealed.segments if (file := one.file("events")) is not None]
        engine.files("events", columns_of(EVENT_SCHEMA), files)
        self._pairs: Pairs = pair_ends(engine, self._ends)
        self._ways: Ways = find_ways(engine, self._ends, self._pairs)
        named, self._differing = name_chains(self._ways.every, self._names)
        self._way_rows = way_rows(self._ways.every, named, self._known.tips)
        self._making = Making(engine, self._sealed, self._known.chains, self._last, Staging(out, work))
        return self._making.planned(self._ways, self._way_rows)

    def done(self, keep: timedelta | None) -> Outcome:
        """Makes the tables, answers, commits."""
        making, out = self._making, self._places.out
        self._tell("writing tables")
        making.packets(self._ways, self._way_rows)
        making.rows_of_segments()
        making.small(end_names(self._names))
        self._tell("answering")
        making.told()
        summary = self._summary(told(making.shared))
        answers = answer(self._engine)
        notes = [*self._found.notes, *notes_of(self._sealed.chains), *_apart(self._pairs.undecided)]
        notes += [*self._pairs.differing, *self._differing]
        self._tell("drawing the report")
        page = write_report(summary, answers, notes, self._known.tips)
        state = making.commit(keep)
        content = _compact(json.dumps(summary, indent=2, sort_keys=True, ensure_ascii=False))
        replace(out / "summary.json", content.encode())
        replace(out / "report.html", page.encode())
        return Outcome(
            summary,
            notes,
            self._known.coverage,
            self._sealed.chains,
            answers,
            self._sealed.segments,
            self._known.tips,
            state.tables,
        )

    def _summary(self, shared: list[Skipped]) -> dict[str, Any]:
        problems = [problem for manifest in self._manifests for problem in manifest.problems]
        skipped = {*self._found.skipped, *problems, *self._ends.refused, *shared}
        counts = chain_counts(self._engine, self._known.blocks)
        return {
            "chains": with_coverage(counts, self._known.coverage),
            "events": self._known.events,
            "skipped": [entry._asdict() for entry in sorted(skipped)],
        }


def _compact(summary: str) -> str:
    """A range of heights on one line: there may be many."""
    return re.sub(r"\[\n\s+(\d+),\n\s+(\d+)\n\s+\]", r"[\1, \2]", summary) + "\n"


def _apart(number: int) -> list[Skipped]:
    what = "receiving ends could not be tied to a sending chain; their packets have rows of their own"
    return [Skipped("", f"{number} {what}")] if number else []
