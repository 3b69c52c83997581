"""Benchmark: what starting Python, `import pyibc` and `pyibc --help` cost, in CPU time of a new process.

In turns, with compiled modules as after an installation. The baseline is `python -c pass`. Bars: 60 ms and
150 ms, on a machine that starts Python in 15 ms. The help is measured without commands of other distributions
and with them: those need `importlib.metadata`, which takes as long as all the rest.

python -m benchmarks.bench_startup
"""

import os
import statistics
import subprocess
import sys
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
ROUNDS = 15
BASELINE = "python -c pass"
_HELP = "import sys; from pyibc.__main__ import main; sys.argv = ['pyibc', '--help']; main()"
_ADDED = "from pyibc.cli import added_commands as added; "
PROGRAMS = {
    BASELINE: "pass",
    "import pyibc": "import pyibc",
    "pyibc --help": f"{_ADDED}added.GROUP = 'none'; {_HELP}",
    "the same with others' commands": f"{_ADDED}added.may_add = lambda: True; {_HELP}",
}


class Row(NamedTuple):
    """A program."""

    name: str
    cpu_ms: float  # median
    least_ms: float
    ratio: float  # median against the baseline's


def rows() -> list[Row]:
    """Measure every program."""
    taken: dict[str, list[float]] = {name: [] for name in PROGRAMS}
    for turn in range(ROUNDS + 1):
        for name, code in PROGRAMS.items():
            cost = _cpu_ms(code)
            if turn:  # the first one compiles
                taken[name].append(cost)
    base = statistics.median(taken[BASELINE])
    return [
        Row(name, statistics.median(each), min(each), statistics.median(each) / base)
        for name, each in taken.items()
    ]


def _cpu_ms(code: str) -> float:
    env = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    before = getrusage(RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=env, stdout=subprocess.DEVNULL, check=True, timeout=60
    )
    after = getrusage(RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def show(found: list[Row]) -> None:
    """Print a table."""
    print(f"{'program':40}{'CPU ms':>8}{'least':>8}{'ratio':>8}")
    for row in found:
        print(f"{row.name:40}{row.cpu_ms:>8.1f}{row.least_ms:>8.1f}{row.ratio:>8.1f}")
    print(f"ratio: against {BASELINE!r} of the same run")


if __name__ == "__main__":
    show(rows())
