"""Benchmark: the indexer from exported files to finished tables, on Spark, DuckDB and Polars.

python -m benchmarks.bench_spark [events]     a million by default; the limit is for five million

CPU is that of all processes, from the start of the interpreter (and the JVM) to their end. Reading the lines
is the same for all engines: its cost per event is measured on real exports and added to each. The engines'
own work is measured on sealed ranges of all events, each engine in a separate process, in turn. Then one per
cent of blocks is added, as lines, to the tables of either engine: the cost of that run, sealing included,
against a full run, on the same engine and on the one chosen for a small increment. The rows of each must be
those of a full run.
"""

import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pyarrow.parquet as pq

from benchmarks.index_programs import ENGINES, PROGRAMS
from benchmarks.index_rows import differing
from benchmarks.index_world import A_BLOCK, STEPS, export_lines, seal_ranges
from pyibc.indexer.segments.sealing import seal_all, seal_here

EVENTS = 1_000_000
HEIGHTS = 250  # exported and sealed, from two chains with a hundred packet events each
LONG = 2_000_000  # number of events from which one run of each engine is enough
ADDING = tuple((made, added) for made in ENGINES for added in (made, "chosen"))
"""(engine that made the tables, engine that adds to them)."""


class Row(NamedTuple):
    """One figure."""

    name: str
    cpu_us: float  # per event, all processes
    wall_s: float
    peak_mb: float | None  # of memory, all processes
    ratio: float | None  # CPU relative to DuckDB's in the same rounds; of an increment, to a full run


def rows(events: int = EVENTS) -> list[Row]:
    """Measure the sealing of lines; every engine, without and with the lines; and an increment."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        lines = _sealing(root)
        seal_ranges(root / "in", root / "sealed", events)
        best = dict[str, Row]()
        for _ in range(1 if events >= LONG else 2):
            for engine in PROGRAMS:
                now = _run(engine, root, events)
                best[engine] = min(now, best.get(engine, now), key=lambda row: row.cpu_us)
        base = best["duckdb"].cpu_us
        alone = [row._replace(ratio=row.cpu_us / base) for row in best.values()]
        whole = [_with(lines, row, base) for row in best.values()]
        full = {engine: lines.cpu_us + best[engine].cpu_us for engine in ENGINES}
        return [lines, *alone, *whole, *_added(root, events, full)]


LEGEND = "CPU an event; ratio: against DuckDB in the same rounds, of one per cent more against a full run"


def show(found: list[Row]) -> None:
    """Print the figures as a table."""
    show_rows(found, LEGEND)


def show_rows(found: list[Row], legend: str) -> None:
    """Print figures as a table, and what they are under it."""
    print(f"{'':50}{'CPU us':>10}{'wall s':>10}{'peak MB':>10}{'ratio':>8}")
    for row in found:
        peak = "" if row.peak_mb is None else f"{row.peak_mb:.0f}"
        ratio = "" if row.ratio is None else f"{row.ratio:.3f}"
        print(f"{row.name:50}{row.cpu_us:>10.2f}{row.wall_s:>10.1f}{peak:>10}{ratio:>8}")
    print(legend)


def _with(lines: Row, row: Row, base: float) -> Row:
    spent = row.cpu_us + lines.cpu_us
    ratio = spent / (base + lines.cpu_us)
    return row._replace(name=f"{row.name}, lines included", cpu_us=spent, ratio=ratio)


def _sealing(root: Path) -> Row:
    """Measure one process that seals block lines into ranges."""
    events = export_lines(root / "export", HEIGHTS)
    files = sorted((root / "export").rglob("*.jsonl"))
    start, wall = time.process_time(), time.perf_counter()
    sealed = seal_all(files, (), root / "lines", seal_here)
    spent, wall = time.process_time() - start, time.perf_counter() - wall
    found = sum(segment.manifest.rows for segment in sealed.segments)
    if found != events or sealed.skipped:
        raise RuntimeError(f"{found} of {events} events were sealed: {sealed.skipped}")
    return Row("sealing block lines", spent / events * 1e6, wall, None, None)


def _added(root: Path, events: int, full: dict[str, float]) -> Iterator[Row]:
    """Measure the addition of one per cent of blocks to either engine's tables."""
    with _more_blocks(root, events):
        whole = _fresh(root, "whole")
        spent("duckdb", root / "in", whole)
        for made, added in ADDING:
            out = root / f"{made}-{added}"
            shutil.copytree(root / made, out)  # with file times, by which sealed ranges identify their inputs
            told = spent(added, root / "in", out)
            if others := differing(out, whole):
                raise RuntimeError(f"{added} adds other rows to {made}'s tables: {', '.join(others)}")
            shutil.rmtree(out)
            name = f"{made}'s tables, one per cent more by {added}"
            cost = told["cpu"] / events * 1e6
            yield Row(name, cost, told["wall"], told["peak"], cost / full[made])


@contextmanager
def _more_blocks(root: Path, events: int) -> Iterator[None]:
    """Add one per cent of blocks to the inputs."""
    last = events // len(STEPS) // A_BLOCK + STEPS[-1][2]
    export_lines(root / "in" / "more", max(1, last // 100), last + 1)
    try:
        yield
    finally:
        shutil.rmtree(root / "in" / "more")


def spent(program: str, inputs: Path, out: Path) -> dict[str, float]:
    """Run a program of `index_programs`; return its CPU and wall seconds and its peak memory."""
    command = [sys.executable, "-m", "benchmarks.index_programs", program, str(inputs), str(out)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def _run(engine: str, root: Path, events: int) -> Row:
    out = _fresh(root, engine)
    told = spent(engine, root / "in", out)
    packets = pq.ParquetDataset(out / "packets").read(columns=["state"])
    if len(packets) != events // len(STEPS) or packets["state"].unique().to_pylist() != ["succeeded"]:
        raise RuntimeError(f"{engine} finds {len(packets)} packets")
    name = f"{engine}: sealed ranges to tables"
    return Row(name, told["cpu"] / events * 1e6, told["wall"], told["peak"], None)


def _fresh(root: Path, name: str) -> Path:
    """Create a folder of results with the sealed ranges only."""
    out = root / name
    shutil.rmtree(out, ignore_errors=True)
    (out / ".segments").mkdir(parents=True)
    for path in (root / "sealed").iterdir():
        (out / ".segments" / path.name).hardlink_to(path)
    return out


if __name__ == "__main__":
    show(rows(*map(int, sys.argv[1:2])))
