"""`make fuzz`: what all hostile input costs, in time and memory."""

import gc
from collections.abc import Sequence

import click

from conformance.fuzz import endurance
from conformance.fuzz.case import Case
from conformance.fuzz.everything import all_cases
from conformance.fuzz.known import KNOWN
from conformance.fuzz.measure import Row, probe, suspects, sweep
from conformance.fuzz.report import faults, table
from conformance.fuzz.worlds import Worlds, worlds

_BLOCK_OF = 10
"""The dearest cases, of which a block is made."""


@click.command("fuzz")
@click.option("--only", default="", help="Cases whose name has this text.")
@click.option("--step", default=1, help="Every so many-th case.")
@click.option("--swept", default=60, help="Cases to sweep of each kind.")
def command(only: str, step: int, swept: int) -> None:
    """Read every case of hostile input, and say what it costs.

    Reads each at two sizes, and those that stand out at eleven, 1 KB to 1 MB; then refuses 10,000
    transactions, and reads a block of the dearest ones.

    Exit code 1: a cost grows faster than its input, what nobody signed costs more than 100 ms a megabyte, an
    exception is no refusal, memory stays, or a block takes too long.
    """
    made = worlds()
    cases = [case for case in all_cases(made) if only in case.name][::step]
    gc.collect()
    gc.freeze()
    click.echo(f"{len(cases)} cases")
    chosen = suspects(probe(cases), swept)
    click.echo(f"{len(chosen)} of them over all sizes")
    rows = [sweep(case) for case in chosen]
    for line in table(rows):
        click.echo(line)
    prices = {row.name: row.ms_per_mb for row in rows}
    executed = sorted((each for each in chosen if each.executed), key=lambda each: -prices[each.name])
    complaints = [*_complaints(rows), *_endured(made, executed[:_BLOCK_OF])]
    for each in complaints:
        click.echo(f"FAULT {each}")
    if complaints:
        raise SystemExit(1)


def _complaints(rows: Sequence[Row]) -> list[str]:
    found = []
    for row in rows:
        wrong = list(faults(row))
        if row.name in KNOWN and not wrong:
            found.append(f"{row.name}: clean, and in the table of what is known")
        found += [f"{row.name}: {each}" for each in wrong if row.name not in KNOWN]
    return found


def _endured(made: Worlds, dearest: Sequence[Case]) -> list[str]:
    left = endurance.memory_left(made)
    click.echo(f"{left.megabytes:.0f} MB stay of {left.transactions} refused transactions")
    found = []
    if left.megabytes > endurance.LEFT_MB:
        found.append(f"{left.megabytes:.0f} MB stay, more than {endurance.LEFT_MB}")
    if dearest:
        full = endurance.block(dearest, endurance.BLOCK_BYTES)
        click.echo(f"a block of {full.size} bytes of the dearest transactions takes {full.seconds:.1f} s")
        if full.seconds > endurance.BLOCK_S:
            found.append(f"a block takes {full.seconds:.1f} s, more than {endurance.BLOCK_S}")
    return found
