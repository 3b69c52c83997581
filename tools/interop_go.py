"""ibc-go judges our chains: `make interop-go SEEDS=100`.

Walks of our own chains (`ibc_module/conformance/walks`) are written as transcripts, and the program
`replay`, built here from a folder beside the clone, runs every message of them through ibc-go's own code.

Environment: GO (the go command), IBC_GO_REPLAY_DIR (sources of `replay`).
"""

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from ibc_module.conformance.walks.coverage import Coverage
from ibc_module.conformance.walks.judge import Verdict, judge
from ibc_module.conformance.walks.walk import walk

ROOT = Path(__file__).resolve().parents[1]
CACHE = ROOT / ".cache" / "interop-go"
BATCH = 10


class Missing(Exception):
    """Something that is not on this machine."""


def find_go() -> str:
    """The go command."""
    for name in (os.environ.get("GO", ""), "go", "/usr/local/go/bin/go"):
        found = shutil.which(name) if name else None
        if found:
            return found
    raise Missing("Go is not on this machine: install it, or name the command in GO")


def find_sources() -> Path:
    """The folder of `replay`."""
    folder = Path(os.environ.get("IBC_GO_REPLAY_DIR") or ROOT.parent / "shared" / "peers" / "replay")
    if not (folder / "go.mod").is_file():
        raise Missing(f"no sources of ibc-go's judge at {folder}: name their folder in IBC_GO_REPLAY_DIR")
    return folder


def build() -> Path:
    """Builds `replay`, outside of its folder."""
    go, sources = find_go(), find_sources()
    CACHE.mkdir(parents=True, exist_ok=True)
    program = CACHE / "replay"
    done = subprocess.run([go, "build", "-o", program, "."], cwd=sources, check=False)
    if done.returncode:
        raise Missing(f"{sources} does not build (its modules come from the Go module proxy)")
    return program


def run(program: Path, seeds: range) -> tuple[Verdict, Coverage]:
    """Walks and has them judged, some at a time."""
    passed, failed, explained, coverage = 0, [], Counter(), Coverage()
    for start in range(seeds.start, seeds.stop, BATCH):
        numbers = range(start, min(start + BATCH, seeds.stop))
        documents = {CACHE / f"walk-{seed}.json": walk(seed) for seed in numbers}
        for document in documents.values():
            coverage.add(document)
        verdict = judge(program, documents)
        passed, explained = passed + verdict.passed, explained + verdict.explained
        failed += verdict.failed
        for line in verdict.failed:
            print(line)
        bad = {line.partition(":")[0] for line in verdict.failed}
        for path in documents:
            if f"{path.parent.name}/{path.name}" not in bad:
                path.unlink()
    return Verdict(passed, failed, explained), coverage


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seeds", type=int, default=100, help="how many walks")
    parser.add_argument("--first", type=int, default=0, help="number of the first")
    options = parser.parse_args()
    try:
        program = build()
    except Missing as missing:
        print(f"interop-go: {missing}", file=sys.stderr)
        return 2
    began = time.monotonic()
    verdict, coverage = run(program, range(options.first, options.first + options.seeds))
    seconds = time.monotonic() - began
    print("\n".join(coverage.lines()))
    print(f"{coverage.blocks} blocks, {coverage.spoilt} transactions with a spoilt message")
    for reason, count in sorted(verdict.explained.items()):
        print(f"{count} refusals with a code of our own (docs/adr/0010): {reason}")
    print(f"{options.seeds} walks in {seconds:.0f} s, {seconds / max(options.seeds, 1):.2f} s each")
    print(f"{verdict.passed} passed, {len(verdict.failed)} failed")
    return 1 if verdict.failed else 0


if __name__ == "__main__":
    sys.exit(main())
