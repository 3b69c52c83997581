"""Command `make oracle`: runs generated cases on both sides; exit code 1 if they differ."""

import argparse
import sys
import time
from pathlib import Path

from conformance.oracle.comparison import KINDS, Outcome, compare
from conformance.oracle.program import Oracle, build
from conformance.walks.replay_program import Missing

SHOWN = 10
"""Number of differences printed in full."""


def main() -> int:
    """Run the requested kinds of cases."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", default=sorted(KINDS), help=f"of {', '.join(sorted(KINDS))}")
    parser.add_argument("--cases", type=int, default=100_000, help="cases of each kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cache", type=Path, default=Path(".cache/oracle"))
    given = parser.parse_args()
    try:
        program = build(given.cache)
    except Missing as missing:
        print(missing, file=sys.stderr)
        return 2
    differing = 0
    for name in given.kinds:
        begun = time.monotonic()
        with Oracle(program) as oracle:
            outcome = compare(oracle, name, given.cases, given.seed)
        _report(name, outcome, time.monotonic() - begun)
        differing += len(outcome.differences)
    return 1 if differing else 0


def _report(name: str, outcome: Outcome, seconds: float) -> None:
    known = sum(outcome.known.values())
    print(
        f"{name}: {outcome.accepted} accepted and {outcome.refused} refused by both "
        f"({outcome.other_code} for another of their faults), {known} differ for known reasons, "
        f"{len(outcome.differences)} DIFFER ({seconds:.0f} s)"
    )
    for row, count in outcome.known.most_common():
        print(f"    {count} {row}")
    for each in outcome.differences[:SHOWN]:
        print(f"  case {each.place}: ours {each.ours.error or 'accepts'} {each.ours.read[:200]!r}")
        print(f"    theirs {each.theirs.error or 'accepts'} {each.theirs.read[:200]!r}")
        print(f"    {each.case.kind} {' '.join(argument.hex() for argument in each.case.arguments)}")


if __name__ == "__main__":
    sys.exit(main())
