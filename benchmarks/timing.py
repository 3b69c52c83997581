"""CPU time of operations that are run in turns, to spread a machine's noise evenly."""

import gc
import json
import os
import shutil
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from conformance.native.trial import asking
from pyibc.core import native


class Row(NamedTuple):
    """One operation of one run."""

    name: str
    us: float  # CPU microseconds, median
    baseline: str  # the operation of the same run it is compared with
    ratio: float  # us / the baseline's us
    has_peer: bool  # True if a Go peer does the same
    go_us: float | None  # the Go peer's figure of the same run; None if it was not run
    native_us: float | None = None  # with native code; None if it does not apply or is not built


class Work(NamedTuple):
    """Operation to time: one call of `run` performs `count` operations."""

    run: Callable[[], object]
    count: int


def measure(work: Mapping[str, Work], rounds: int = 7) -> dict[str, float]:
    """Return median CPU microseconds per operation; each round runs every operation once."""
    samples: dict[str, list[float]] = {name: [] for name in work}
    for turn in range(rounds + 1):
        for name, (run, count) in work.items():
            gc.collect()
            start = time.process_time_ns()
            run()
            if turn:  # the first is a warm-up
                samples[name].append((time.process_time_ns() - start) / 1000 / count)
    return {name: statistics.median(each) for name, each in samples.items()}


def peer(name: str) -> dict[str, float]:
    """Return the figures of `peers.sh run NAME` by operation.

    Empty unless PEERS_DIR is set and Go is installed.
    """
    folder = os.environ.get("PEERS_DIR")
    if not folder or not shutil.which(os.environ.get("GO", "go")):
        return {}
    script = str(Path(folder) / "peers.sh")
    done = subprocess.run([script, "run", name], check=True, capture_output=True, text=True)
    lines = (json.loads(line) for line in done.stdout.splitlines() if line.startswith("{"))
    return {line["op"]: line["us"] for line in lines}


class GoOperation(NamedTuple):
    """An operation of a Go peer."""

    program: str  # argument of `peers.sh run`
    op: str


def beside(
    work: Mapping[str, Work],
    baseline: str,
    peers: Mapping[str, GoOperation],
    natives: Mapping[str, Work] | None = None,
) -> list[Row]:
    """Measure ours, the Go peers, ours again (A B A); return rows against `baseline` and the peers.

    `peers` maps an operation of ours to the Go operation; `natives` are operations to time with native code,
    if it is built, in turns with Python's.
    """
    every = _asking(work, natives or {})
    first = measure(every)
    go: dict[str, float] = {}
    for program in sorted({each.program for each in peers.values()}):
        go |= peer(program)
    again = measure(every)
    ours = {name: statistics.mean((first[name], again[name])) for name in every}
    base = ours[baseline]
    return [
        Row(
            name,
            ours[name],
            baseline,
            ours[name] / base,
            name in peers,
            go.get(peers[name].op) if name in peers else None,
            ours.get(name + _NATIVE),
        )
        for name in work
    ]


_NATIVE = " (native)"


def _asking(work: Mapping[str, Work], natives: Mapping[str, Work]) -> dict[str, Work]:
    """Return all operations to time: Python's with native code disabled, then those with native code."""
    every = {name: Work(_asked(None, run), count) for name, (run, count) in work.items()}
    if native.NATIVE is not None:
        for name, (run, count) in natives.items():
            every[name + _NATIVE] = Work(_asked(native.NATIVE, run), count)
    return every


def _asked(module: ModuleType | None, run: Callable[[], object]) -> Callable[[], object]:
    def work() -> None:
        with asking(module):
            run()

    return work


def show(rows: list[Row]) -> None:
    """Print a table."""
    columns = f"{'us':>10}{'ratio':>8}{'native us':>11}{'Go us':>10}{'times Go':>10}{'native':>8}"
    print(f"{'operation':48}{columns}")
    for row in rows:
        line = f"{row.name:48}{row.us:>10.1f}{row.ratio:>8.2f}"
        line += f"{'':11}" if row.native_us is None else f"{row.native_us:>11.1f}"
        if row.go_us is not None:
            line += f"{row.go_us:>10.1f}{row.us / row.go_us:>10.2f}"
            line += "" if row.native_us is None else f"{row.native_us / row.go_us:>8.2f}"
        elif row.has_peer:
            line += f"{'not run':>10}"
        print(line)
    print(f"ratio: against {rows[0].baseline!r} of the same run; not run: no Go here, or no PEERS_DIR")
    if native.NATIVE is None:
        print(f"native: {native.WHY}")
