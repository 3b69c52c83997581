"""The indexer: from exported files to finished tables, everything counted, on Spark, DuckDB and Polars.

python -m benchmarks.bench_spark [events]     a million unless told; five million is what the bar is about

CPU is that of all processes, from the start of the interpreter (and the JVM) to their end. The lines are read
once for all engines alike: what that costs an event is measured on real exports and added to each. What the
engines do then is measured on sealed ranges of all events, each engine in a process of its own, in turn. Then
one per cent of blocks is added, as lines: what another run costs, sealing included, against a full run.
"""

import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import pyarrow.parquet as pq

from benchmarks.index_programs import PROGRAMS
from benchmarks.index_world import A_BLOCK, STEPS, export_lines, seal_ranges
from ibc_indexer.segments.sealing import seal_all, seal_here

EVENTS = 1_000_000
HEIGHTS = 250  # exported and sealed, of two chains with a hundred packet events each
LONG = 2_000_000  # events from which one run of each engine is enough


class Row(NamedTuple):
    """One figure."""

    name: str
    cpu_us: float  # an event, all processes
    wall_s: float
    ratio: float | None  # CPU against DuckDB's of the same rounds; of an increment against a full run


def rows(events: int = EVENTS) -> list[Row]:
    """The sealing of lines; then every engine, alone and with the lines."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        lines = _sealing(root)
        seal_ranges(root / "in", root / "sealed", events)
        export_lines(root / "more", *_increment(events))
        best, more = dict[str, Row](), dict[str, Row]()
        for _ in range(1 if events >= LONG else 2):
            for engine in PROGRAMS:
                now = _run(engine, root, events)
                best[engine] = min(now, best.get(engine, now), key=lambda row: row.cpu_us)
        for engine in ("spark", "duckdb"):
            more[engine] = _run_more(engine, root, events)
    base = best["duckdb"].cpu_us
    alone = [row._replace(ratio=row.cpu_us / base) for row in best.values()]
    whole = [_with(lines, row, base) for row in best.values()]
    added = [
        row._replace(ratio=row.cpu_us / (lines.cpu_us + best[engine].cpu_us)) for engine, row in more.items()
    ]
    return [lines, *alone, *whole, *added]


def show(found: list[Row]) -> None:
    """The figures as a table."""
    print(f"{'':44}{'CPU us':>10}{'wall s':>10}{'ratio':>8}")
    for row in found:
        ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
        print(f"{row.name:44}{row.cpu_us:>10.2f}{row.wall_s:>10.1f}{ratio:>8}")
    print("CPU an event; ratio: against DuckDB in the same rounds, of one per cent more against a full run")


def _with(lines: Row, row: Row, base: float) -> Row:
    spent = row.cpu_us + lines.cpu_us
    return Row(f"{row.name}, lines included", spent, row.wall_s, spent / (base + lines.cpu_us))


def _sealing(root: Path) -> Row:
    """Block lines into sealed ranges, by one process."""
    events = export_lines(root / "export", HEIGHTS)
    files = sorted((root / "export").rglob("*.jsonl"))
    start, wall = time.process_time(), time.perf_counter()
    sealed = seal_all(files, (), root / "lines", seal_here)
    spent, wall = time.process_time() - start, time.perf_counter() - wall
    found = sum(segment.manifest.rows for segment in sealed.segments)
    if found != events or sealed.skipped:
        raise RuntimeError(f"{found} of {events} events were sealed: {sealed.skipped}")
    return Row("sealing block lines", spent / events * 1e6, wall, None)


def _increment(events: int) -> tuple[int, int]:
    """How many heights are one per cent, and the first of them."""
    last = events // len(STEPS) // A_BLOCK + STEPS[-1][2]
    return max(1, last // 100), last + 1


def _run_more(engine: str, root: Path, events: int) -> Row:
    """The blocks are there for this run alone: the other engine's adds them to its own results."""
    place = root / "in" / "more"
    shutil.copytree(root / "more", place)
    try:
        told = _spent(engine, root)
    finally:
        shutil.rmtree(place)
    packets = pq.ParquetDataset(root / engine / "packets").read(columns=["state"])
    if len(packets) <= events // len(STEPS):
        raise RuntimeError(f"{engine} finds {len(packets)} packets and none that were added")
    return Row(f"{engine}: one per cent more, lines included", told["cpu"] / events * 1e6, told["wall"], None)


def _spent(engine: str, root: Path) -> dict[str, float]:
    command = [
        sys.executable,
        "-m",
        "benchmarks.index_programs",
        engine,
        str(root / "in"),
        str(root / engine),
    ]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def _run(engine: str, root: Path, events: int) -> Row:
    out = root / engine
    shutil.rmtree(out, ignore_errors=True)
    _lend(root / "sealed", out / ".segments")
    told = _spent(engine, root)
    packets = pq.ParquetDataset(out / "packets").read(columns=["state"])
    if len(packets) != events // len(STEPS) or packets["state"].unique().to_pylist() != ["acknowledged"]:
        raise RuntimeError(f"{engine} finds {len(packets)} packets")
    return Row(f"{engine}: sealed ranges to tables", told["cpu"] / events * 1e6, told["wall"], None)


def _lend(sealed: Path, folder: Path) -> None:
    """Gives an engine the sealed ranges as its own."""
    folder.mkdir(parents=True)
    for path in sealed.iterdir():
        (folder / path.name).hardlink_to(path)


if __name__ == "__main__":
    show(rows(*map(int, sys.argv[1:2])))
