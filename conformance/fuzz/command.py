"""Command `make fuzz`: measures time and memory of all hostile inputs."""

import gc
from collections.abc import Iterator, Sequence
from itertools import islice

import click

from conformance.fuzz import full_block, memory_growth
from conformance.fuzz.all_cases import all_cases
from conformance.fuzz.case import Case
from conformance.fuzz.count import grown
from conformance.fuzz.full_block import block_cases, most_expensive
from conformance.fuzz.known_faults import KNOWN
from conformance.fuzz.measure import Row, again, probe, suspects, sweep
from conformance.fuzz.report import MAX_SLOPE, faults, table
from conformance.fuzz.worlds import Worlds, pending, worlds

_AGAIN = 2
_COUNTED = (16_000, 32_000, 64_000)
"""Input sizes, bytes, at which work is counted for cases whose slope stands out."""


@click.command("fuzz")
@click.option("--only", default="", help="Run only cases whose names contain this text.")
@click.option("--step", default=1, help="Run only every N-th case.")
@click.option("--swept", default=60, help="Cases to measure in detail, for each criterion.")
def command(only: str, step: int, swept: int) -> None:
    """Run every case of hostile input and report its cost.

    Reads each at two sizes, and those that stand out at eleven, 1 KB to 1 MB; then refuses 10,000
    transactions, and has a chain's application finalize a block of the most expensive ones.

    Exit code 1: a cost grows faster than its input, unsigned input costs more than 100 ms a megabyte, an
    exception is not a refusal, memory is not released, or a block takes too long.
    """
    made = worlds()
    cases = [case for case in all_cases(made) if only in case.name][::step]
    gc.collect()
    gc.freeze()
    click.echo(f"{len(cases)} cases")
    chosen = suspects(probe(cases), swept)
    click.echo(f"{len(chosen)} of them over all sizes")
    rows = [_swept(case) for case in chosen]
    for line in table(rows):
        click.echo(line)
    complaints = [*_complaints(rows), *_endured(made), *_executed(step)]
    for each in complaints:
        click.echo(f"FAULT {each}")
    if complaints:
        raise SystemExit(1)


def _swept(case: Case) -> Row:
    """Measure a case at all sizes, and again if it fails, since noise rarely repeats; then count its work."""
    row = sweep(case)
    for _ in range(_AGAIN):
        if not any(faults(row)):
            break
        row = again(case, row)
    if row.slope > MAX_SLOPE:  # shows whether the code or the machine's memory management is the cause
        row = row._replace(counted=grown(case, _COUNTED).most)
    return row


def _complaints(rows: Sequence[Row]) -> list[str]:
    found = []
    for row in rows:
        wrong = list(faults(row))
        if row.name in KNOWN and not wrong:
            found.append(f"{row.name}: clean, and in the table of what is known")
        found += [f"{row.name}: {each}" for each in wrong if row.name not in KNOWN]
    return found


def _endured(made: Worlds) -> Iterator[str]:
    left = memory_growth.memory_left(made)
    click.echo(f"{left.megabytes:.0f} MB stay of {left.transactions} refused transactions")
    if left.megabytes > memory_growth.LEFT_MB:
        yield f"{left.megabytes:.0f} MB are not released, more than {memory_growth.LEFT_MB}"


def _executed(step: int) -> Iterator[str]:
    made = pending()
    chosen = most_expensive(islice(block_cases(made), 0, None, step), full_block.MOST)
    full = full_block.full_block(made, chosen, full_block.BYTES)
    click.echo(f"FinalizeBlock of {full.size} bytes, {len(full.verdicts)} transactions: {full.seconds:.1f} s")
    for name in full.cases:
        click.echo(f"  {name}")
    if full.seconds > full_block.SECONDS:
        yield f"a block takes {full.seconds:.1f} s, more than {full_block.SECONDS}"
    if not full.agrees:
        yield "a transaction has another verdict in the block than alone"
