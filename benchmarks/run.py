"""All benchmarks in one run, each beside its peer or baseline.

python benchmarks/run.py           everything (half an hour)
python benchmarks/run.py packets   one of: tree readers proofs light_client messages apps packets queues
                                   relay live_relay plan cold_start backlog abci events node spark

PEERS_DIR names the folder of `peers.sh`, which runs ibc-go, cosmos/iavl and ics23 between our runs where
Go is there; where it is not, their columns say so. `messages` builds its own Go program (benchmarks/go).
"""

import subprocess
import sys
from importlib import import_module
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

NAMES = (
    "tree",
    "readers",
    "proofs",
    "light_client",
    "messages",
    "apps",
    "packets",
    "queues",
    "relay",
    "live_relay",
    "plan",
    "cold_start",
    "backlog",
    "abci",
    "events",
    "node",
    "spark",
)


def module_of(name: str) -> str:
    """The module of a benchmark: its `rows` are printed by its `show`."""
    return _FOLDERS.get(name, f"benchmarks.bench_{name}")


_FOLDERS = {"queues": "benchmarks.queue.bench"}


def main(names: list[str]) -> int:
    """Runs the benchmarks called `names`; all where there are none."""
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        print(f"no benchmark {unknown[0]!r}: {' '.join(NAMES)}", file=sys.stderr)
        return 2
    if len(names) == 1:
        _run(names[0])
        return 0
    return max([_alone(name) for name in names or NAMES])


def _run(name: str) -> None:
    bench = import_module(module_of(name))
    print(f"\n== {name}: {(bench.__doc__ or '').splitlines()[0]}", flush=True)
    bench.show(bench.rows())


def _alone(name: str) -> int:
    """In a process of its own: what the others left in memory is no part of a benchmark; 0: it ran."""
    return abs(subprocess.run([sys.executable, __file__, name], check=False).returncode)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
