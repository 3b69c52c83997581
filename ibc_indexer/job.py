"""The whole run: inputs in, a folder with `packets`, `summary.json` and `report.html` out."""

import json
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

from ibc_core.height import revision_of
from ibc_core.numbers import MAX_I64
from ibc_indexer import chain_rows
from ibc_indexer.answers import Answers, answer, chain_counts
from ibc_indexer.coverage import Coverage, Heights
from ibc_indexer.dictionary import merge_names
from ibc_indexer.ends import all_ends, pair_ends
from ibc_indexer.engines import Engine, OpenEngine, columns_of
from ibc_indexer.incarnations import ChainKey, Incarnations
from ibc_indexer.inputs import Inputs, files_of, gather, stage
from ibc_indexer.lifecycle import find_ways
from ibc_indexer.names.resolve import Names
from ibc_indexer.names.told import all_told
from ibc_indexer.names.ways import name_chains
from ibc_indexer.packet_table import COLUMNS, Tip, name_ways, packet_table_query
from ibc_indexer.report import write_report
from ibc_indexer.scan import Skipped, notes_of
from ibc_indexer.segments.manifest import Manifest
from ibc_indexer.segments.numbers import EVENT_SCHEMA
from ibc_indexer.segments.sealing import Sealed, Segment, seal_all
from ibc_indexer.segments.worker import seal_in_processes
from ibc_indexer.tables import (
    channels_table,
    clients_table,
    messages_table,
    name_tables,
    sealed_rows,
    transactions_table,
)
from ibc_indexer.transfers import rows as transfer_rows
from ibc_indexer.transfers.rows import FORWARDS, TRANSFERS
from ibc_indexer.transfers.table import COLUMNS as TRANSFER_COLUMNS
from ibc_indexer.transfers.table import find_origins, transfers_query

SEGMENTS, WORK = ".segments", ".work"
Tell = Callable[[str], None]


class Outcome(NamedTuple):
    """What a run found."""

    summary: dict[str, Any]  # as in summary.json
    notes: list[Skipped]
    coverage: dict[str, Coverage]  # which heights of every chain are known
    chains: Incarnations
    answers: Answers
    segments: list[Segment]  # what was read, in `out/.segments`
    tips: dict[str, Tip]  # the last block of every chain


def index(open_engine: OpenEngine, inputs: Iterable[Path], out: Path, tell: Tell = lambda _: None) -> Outcome:
    """Indexes `inputs` (files or folders) into the folder `out`, which on a cluster all workers must see.

    What cannot be read is in the summary's `skipped`; the results are written in any case. Sealed ranges
    stay in `out/.segments`: another run with the same `out` seals what is new or was changed.

    Args:
        open_engine: what answers the queries: `spark_engine.on_spark`, `local_engine.here`, or one of them
            by the number of events.
        inputs: exports, recordings, packet tables.
        out: made if absent; earlier results in it are replaced.
        tell: hears one line a step.
    """
    shutil.rmtree(out / WORK, ignore_errors=True)
    out.mkdir(parents=True, exist_ok=True)
    found = gather(files_of(inputs, out=out), lambda path: tell(f"reading {path.name}"))
    try:
        staged, unfit = stage(found.blocks, out / WORK)
        tell("sealing what is new")
        sealed = seal_all([*found.exports, *staged], found.tables, out / SEGMENTS, seal_in_processes)
        return _run(open_engine, found, sealed, unfit, out, tell)
    finally:
        shutil.rmtree(out / WORK, ignore_errors=True)


def _run(
    open_engine: OpenEngine, found: Inputs, sealed: Sealed, unfit: list[Skipped], out: Path, tell: Tell
) -> Outcome:
    manifests = [segment.manifest for segment in sealed.segments]
    rows = sum(manifest.rows for manifest in manifests)
    tell(f"following {rows} events")
    engine = open_engine(rows, out / WORK)
    engine.files("events", columns_of(EVENT_SCHEMA), _files(sealed.segments, "events"))
    ends = all_ends((end for manifest in manifests for end in manifest.ends), sealed.chains)
    pairs = pair_ends(engine, ends)
    coverage = _coverage(manifests, sealed.chains)
    blocks, tips = _chains(manifests, sealed.chains, coverage)
    ways = find_ways(engine, ends, pairs)
    told = all_told((fact for manifest in manifests for fact in manifest.told), sealed.chains)
    names = Names(told, found.registered)
    named, differing = name_chains(ways, names)
    name_ways(engine, ways, named, tips)
    shared = merge_names(engine, _files(sealed.segments, "names"), out / WORK / "names")
    engine.write(packet_table_query(engine.dialect), out / "packets")
    engine.files("packets", COLUMNS, [out / "packets"])
    tell("writing tables")
    _write_tables(engine, sealed, names, out)
    tell("answering")
    problems = [problem for manifest in manifests for problem in manifest.problems]
    skipped = {*found.skipped, *unfit, *sealed.skipped, *problems, *ends.refused, *shared}
    summary = {
        "chains": _with_coverage(chain_counts(engine, blocks), coverage),
        "events": dict(sorted(sum((Counter(m.counts) for m in manifests), Counter[str]()).items())),
        "skipped": [entry._asdict() for entry in sorted(skipped)],
    }
    notes = [*found.notes, *notes_of(sealed.chains), *_apart(pairs.undecided), *pairs.differing, *differing]
    answers = answer(engine)
    _write(out / "summary.json", _compact(json.dumps(summary, indent=2, sort_keys=True, ensure_ascii=False)))
    tell("drawing the report")
    _write(out / "report.html", write_report(summary, answers, notes, tips))
    return Outcome(summary, notes, coverage, sealed.chains, answers, sealed.segments, tips)


def _write_tables(engine: Engine, sealed: Sealed, names: Names, out: Path) -> None:
    """The tables beside that of packets."""
    keys = {key for segment in sealed.segments for key in segment.manifest.chains}
    name_tables(engine, {(key, sealed.chains.name(ChainKey.parsed(key))) for key in keys}, names)
    for role in chain_rows.SCHEMAS:
        sealed_rows(engine, role, chain_rows.SCHEMAS[role], _files(sealed.segments, role))
    for make in (transactions_table, messages_table, clients_table, channels_table):
        table = make(engine.dialect)
        engine.write(table.query(engine.dialect), out / table.name)
        engine.files(table.name, table.columns, [out / table.name])
    sealed_rows(engine, TRANSFERS, transfer_rows.SCHEMAS[TRANSFERS], _files(sealed.segments, TRANSFERS))
    find_origins(engine, _files(sealed.segments, FORWARDS), out / WORK)
    engine.write(transfers_query(engine.dialect), out / "transfers")
    engine.files("transfers", TRANSFER_COLUMNS, [out / "transfers"])


def _files(segments: Iterable[Segment], role: str) -> list[Path]:
    return [file for segment in segments if (file := segment.file(role)) is not None]


def _coverage(manifests: Iterable[Manifest], chains: Incarnations) -> dict[str, Coverage]:
    """By chain: which heights are known."""
    known = dict[str, Coverage]()
    for manifest in manifests:
        for key, part in manifest.chains.items():
            name = chains.name(ChainKey.parsed(key))
            known[name] = known.get(name, Coverage(incarnation=chains.key(name))) | part.coverage
    return dict(sorted(known.items()))


def _chains(
    manifests: Iterable[Manifest], chains: Incarnations, coverage: dict[str, Coverage]
) -> tuple[dict[str, int], dict[str, Tip]]:
    """By chain: how many heights anything is known of, and the last block."""
    told, times, revisions = dict[str, Heights](), dict[str, int](), dict[str, int]()
    for manifest in manifests:
        for key, part in manifest.chains.items():
            chain = ChainKey.parsed(key)
            name = chains.name(chain)
            revisions[name] = min(revision_of(chain.chain_id), MAX_I64)
            told[name] = told.get(name, Heights()) | part.told
            if part.time_ns is not None:
                times[name] = max(part.time_ns, times.get(name, 0))
    tips = {
        name: Tip(name, heights.last, times.get(name), coverage[name].gaps.last, revisions[name])
        for name, heights in told.items()
        if heights.ranges
    }
    return {name: told[name].count for name in tips}, tips


def _with_coverage(counts: dict[str, Any], coverage: dict[str, Coverage]) -> dict[str, Any]:
    for chain, numbers in counts.items():
        known = coverage.get(chain, Coverage())
        numbers["ranges"] = [list(each) for each in known.full.ranges]
        numbers["gaps"] = [list(each) for each in known.gaps.ranges]
    return counts


def _compact(summary: str) -> str:
    """A range of heights on one line: there may be many."""
    return re.sub(r"\[\n\s+(\d+),\n\s+(\d+)\n\s+\]", r"[\1, \2]", summary) + "\n"


def _apart(number: int) -> list[Skipped]:
    what = "receiving ends could not be tied to a sending chain; their packets have rows of their own"
    return [Skipped("", f"{number} {what}")] if number else []


def _write(path: Path, content: str) -> None:
    """Replaces `path` at once."""
    fresh = path.with_name(f".{path.name}.new")
    fresh.write_text(content, encoding="utf-8")
    fresh.replace(path)
