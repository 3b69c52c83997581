"""Benchmark: the pipeline from exported lines to Delta tables, beside a plain PySpark job.

python -m benchmarks.bench_pipeline [events]     200,000 by default

CPU is that of all processes, from the start of the interpreter and the JVM to their end. The plain job parses
the same lines and writes one table of packets. Then one per cent of blocks is added, and the pipeline runs
again; on Spark also as a batch of a stream that is running.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from benchmarks.index_world import A_BLOCK, STEPS, export_lines

EVENTS = 200_000

LEGEND = "CPU an event; ratio: against the plain job, of one per cent more to a first run"
ENGINES = {"local": "DuckDB and delta-rs", "spark": "Spark"}


class Row(NamedTuple):
    """One figure."""

    name: str
    cpu_us: float  # per event, all processes
    wall_s: float
    peak_mb: float  # of memory, all processes
    ratio: float  # CPU


def rows(events: int = EVENTS) -> list[Row]:
    """Measure the plain job, a first run of the pipeline on each engine, and a run with one per cent more."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        heights = events // len(STEPS) // A_BLOCK
        known = export_lines(root / "in", heights)
        plain = spent("plain", root / "in", root / "plain")
        first = {engine: spent(engine, root / "in", root / engine) for engine in ENGINES}
        more = export_lines(root / "in", max(1, heights // 100), heights + 1)
        again = {engine: spent(engine, root / "in", root / engine) for engine in ENGINES}
        report = spent("report", root / "in", root / "local")
        found = [("plain PySpark job", plain, plain)]
        for engine, name in ENGINES.items():
            _check(root / engine, known + more)
            found.append((f"pipeline on {name}", first[engine], plain))
            found.append((f"pipeline on {name}, one per cent more", again[engine], first[engine]))
        found.append(("report on DuckDB", report, first["local"]))
        height = heights + max(1, heights // 100)
        batch = spent("stream", root / "in", root / "spark", str(height))
        found.append(("one per cent more in a running stream", batch, first["spark"]))
        return [
            Row(name, told["cpu"] / known * 1e6, told["wall"], told["peak"], told["cpu"] / base["cpu"])
            for name, told, base in found
        ]


def _check(out: Path, events: int) -> None:
    from deltalake import DeltaTable

    table = DeltaTable(str(out / "silver" / "packet_events"))
    found = table.to_pyarrow_table(columns=["sequence"])
    if len(found) != events:
        raise RuntimeError(f"{len(found)} of {events} events are in the tables")


def spent(program: str, inputs: Path, out: Path, *more: str) -> dict[str, float]:
    """Run a program of `index_programs`; return its CPU and wall seconds and its peak memory."""
    command = [sys.executable, "-m", "benchmarks.index_programs", program, str(inputs), str(out), *more]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def show(found: list[Row]) -> None:
    """Print the figures as a table."""
    print(f"{'':50}{'CPU us':>10}{'wall s':>10}{'peak MB':>10}{'ratio':>8}")
    for row in found:
        print(f"{row.name:50}{row.cpu_us:>10.2f}{row.wall_s:>10.1f}{row.peak_mb:>10.0f}{row.ratio:>8.3f}")
    print(LEGEND)


if __name__ == "__main__":
    show(rows(*map(int, sys.argv[1:2])))
