"""CPU time of operations that are run in turns, so that a machine's noise meets all of them alike."""

import gc
import json
import os
import shutil
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple


class Row(NamedTuple):
    """One operation of one run."""

    name: str
    us: float  # CPU microseconds, median
    baseline: str  # the operation of the same run it is compared with
    ratio: float  # us / the baseline's us
    go_us: float | None  # the Go peer's figure on this machine, where it was asked for


class Work(NamedTuple):
    """What is timed: one call of `run` does `count` operations."""

    run: Callable[[], object]
    count: int


def measure(work: Mapping[str, Work], rounds: int = 7) -> dict[str, float]:
    """Median CPU microseconds an operation; each round runs every operation once."""
    samples: dict[str, list[float]] = {name: [] for name in work}
    for turn in range(rounds + 1):
        for name, (run, count) in work.items():
            gc.collect()
            start = time.process_time_ns()
            run()
            if turn:  # the first warms up
                samples[name].append((time.process_time_ns() - start) / 1000 / count)
    return {name: statistics.median(each) for name, each in samples.items()}


def peer(name: str) -> dict[str, float]:
    """Figures of `peers.sh run NAME` by operation; empty unless PEERS_DIR and go are there."""
    folder = os.environ.get("PEERS_DIR")
    if not folder or not shutil.which(os.environ.get("GO", "go")):
        return {}
    script = str(Path(folder) / "peers.sh")
    done = subprocess.run([script, "run", name], check=True, capture_output=True, text=True)
    lines = (json.loads(line) for line in done.stdout.splitlines() if line.startswith("{"))
    return {line["op"]: line["us"] for line in lines}


def compare(
    measured: Mapping[str, float], baseline: str, go: Mapping[str, float], peers: Mapping[str, str]
) -> list[Row]:
    """Rows against `baseline`; `peers` names the Go operation of each of ours that has one."""
    base = measured[baseline]
    return [Row(name, us, baseline, us / base, go.get(peers.get(name, ""))) for name, us in measured.items()]


def show(rows: list[Row]) -> None:
    """Prints a table."""
    print(f"{'operation':44}{'us':>10}{'ratio':>8}{'Go us':>10}")
    for row in rows:
        go = "" if row.go_us is None else f"{row.go_us:.1f}"
        print(f"{row.name:44}{row.us:>10.1f}{row.ratio:>8.2f}{go:>10}")
    print(f"ratio: against {rows[0].baseline!r} of the same run")
