"""All benchmarks in one run, each beside its peer or baseline.

python benchmarks/run.py           everything (half an hour)
python benchmarks/run.py packets   one of: tree readers proofs light_client messages apps packets queues
                                   relay live_relay beside_hermes idle plan cold_start startup
                                       backlog abci events node pipeline

PEERS_DIR is the folder of `peers.sh`, which runs ibc-go, cosmos/iavl and ics23 between our runs if Go is
installed; otherwise the output says so. `messages` builds its own Go program (benchmarks/go).
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
    "beside_hermes",
    "idle",
    "plan",
    "cold_start",
    "startup",
    "backlog",
    "abci",
    "events",
    "node",
    "pipeline",
)


def module_of(name: str) -> str:
    """Return the module of a benchmark, with functions `rows` and `show`."""
    return _FOLDERS.get(name, f"benchmarks.bench_{name}")


_FOLDERS = {"queues": "benchmarks.queue.bench"}


def main(names: list[str]) -> int:
    """Run the benchmarks called `names`, by default all."""
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
    """Run a benchmark in a separate process, so that its memory is not affected by others.

    Return its exit code.
    """
    return abs(subprocess.run([sys.executable, __file__, name], check=False).returncode)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
