"""Verification of our chains by ibc-go: `make interop-go SEEDS=100`.

Random walks of our chains (`conformance/walks`) are written as transcripts, which the program `replay`
(`conformance/walks/go`) runs through ibc-go. Failing transcripts stay in `.cache/interop-go`.

Environment: GO (the go command).
"""

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

from conformance.walks.coverage import Coverage
from conformance.walks.replay_program import Missing, build
from conformance.walks.verification import Verdict, verify
from conformance.walks.walk import walk

ROOT = Path(__file__).resolve().parents[1]
CACHE = ROOT / ".cache" / "interop-go"
BATCH = 10
"""Walks per run of `replay`."""


def run(program: Path, seeds: range) -> tuple[Verdict, Coverage]:
    """Generate walks and have `replay` verify them, in batches."""
    passed, failed, explained, coverage = 0, [], Counter(), Coverage()
    for start in range(seeds.start, seeds.stop, BATCH):
        numbers = range(start, min(start + BATCH, seeds.stop))
        documents = {CACHE / f"walk-{seed}.json": walk(seed) for seed in numbers}
        for document in documents.values():
            coverage.add(document)
        verdict = verify(program, documents)
        passed, explained = passed + verdict.passed, explained + verdict.explained
        failed += verdict.failed
        for line in verdict.failed:
            print(line, flush=True)
        bad = {line.partition(":")[0] for line in verdict.failed}
        for path in documents:
            if f"{path.parent.name}/{path.name}" not in bad:
                path.unlink()
    return Verdict(passed, failed, explained), coverage


def report(verdict: Verdict, coverage: Coverage, seeds: int, seconds: float) -> None:
    """Print coverage, intended differences, and the result."""
    print("\n".join(coverage.lines()))
    print(f"{coverage.blocks} blocks, {coverage.checks} CheckTx calls", end=", ")
    print(f"{coverage.corrupted} transactions with a corrupted message")
    for reason, count in sorted(verdict.explained.items()):
        print(f"{count} intended differences (docs/adr/0010): {reason}")
    print(f"{seeds} walks in {seconds:.0f} s, {seconds / max(seeds, 1):.2f} s each")
    print(f"{verdict.passed} passed, {len(verdict.failed)} failed")


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seeds", type=int, default=100, help="number of walks")
    parser.add_argument("--first", type=int, default=0, help="number of the first walk")
    options = parser.parse_args()
    try:
        program = build(CACHE)
    except Missing as missing:
        print(f"interop-go: {missing}", file=sys.stderr)
        return 2
    began = time.monotonic()
    verdict, coverage = run(program, range(options.first, options.first + options.seeds))
    report(verdict, coverage, options.seeds, time.monotonic() - began)
    return 1 if verdict.failed else 0


if __name__ == "__main__":
    sys.exit(main())
