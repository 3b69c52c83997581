"""Command `make simulate`: simulates many seeds on all cores; can be interrupted and resumed."""

import os
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, as_completed
from pathlib import Path

import click

from conformance.simulation.fixes import FIXES, run_without
from conformance.simulation.processes import processes
from conformance.simulation.run import STEPS, Outcome
from conformance.simulation.shrink import shrunk
from conformance.simulation.steps import steps_of

_AT_ONCE = 64
"""Seeds in progress at a time, which limits the work lost by an interruption."""


@click.command("simulate")
@click.option("--seeds", default=200, show_default=True, help="Number of seeds, from --first on.")
@click.option("--first", default=0, show_default=True, help="The first seed.")
@click.option("--seed", type=int, help="Simulate only this seed, and print its steps.")
@click.option("--only", default="", help="With --seed: execute only these steps, comma-separated numbers.")
@click.option("--jobs", default=os.cpu_count(), show_default=True, help="Number of processes.")
@click.option(
    "--done",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File of completed seeds, which are skipped.",
)
@click.option(
    "--without", type=click.Choice(sorted(FIXES)), help="Disable a fix, to see which fault it prevents."
)
def command(
    seeds: int, first: int, seed: int | None, only: str, jobs: int, done: Path | None, without: str | None
) -> None:
    """Simulate networks of chains, relayers and exporters under faults.

    Each seed determines one schedule. After its faults end, the coins must add up, every packet must be
    acknowledged or timed out once, announced blocks must be unchanged, exports complete, and a replica must
    agree. The steps of a failing seed are minimised and printed as a command. Exit code 1: a seed failed.
    """
    with processes(1 if seed is not None else jobs) as pool:
        if seed is not None:
            raise SystemExit(_one(pool, seed, [int(each) for each in only.split(",") if each], without))
        _many(pool, range(first, first + seeds), done, without)


def _many(pool: Executor, seeds: Sequence[int], done: Path | None, without: str | None) -> None:
    passed = _read(done)
    wanted = [each for each in seeds if each not in passed]
    click.echo(f"{len(wanted)} seeds of {STEPS} steps")
    failed = 0
    for number, outcome in _all(pool, wanted, without):
        if outcome.faults:
            failed += 1
            fault = outcome.faults[0]
            click.echo(f"FAULT {pool.submit(_shortest, number, fault, without).result()}: {fault}")
        elif done is not None:
            with done.open("a") as file:
                file.write(f"{number}\n")
    click.echo(f"{len(wanted) - failed} passed, {failed} failed")
    if failed:
        raise SystemExit(1)


def _one(pool: Executor, seed: int, only: list[int], without: str | None) -> int:
    outcome = pool.submit(run_without, without, seed, only or None).result()
    steps = steps_of(seed, STEPS)
    for number in only or range(STEPS):
        click.echo(f"{number:3d} {steps[number].kind}")
    for fault in outcome.faults:
        click.echo(f"FAULT {fault}")
    click.echo(outcome.digest)
    return 1 if outcome.faults else 0


def _all(pool: Executor, wanted: Sequence[int], without: str | None) -> Iterator[tuple[int, Outcome]]:
    for start in range(0, len(wanted), _AT_ONCE):
        futures = {pool.submit(run_without, without, each): each for each in wanted[start : start + _AT_ONCE]}
        for future in as_completed(futures):
            yield futures[future], future.result()


def _shortest(seed: int, fault: str, without: str | None) -> str:
    """Return the command that reproduces a seed's fault with the fewest steps."""

    def fails(numbers: Sequence[int]) -> bool:
        return any(_shape(each) == _shape(fault) for each in run_without(without, seed, numbers).faults)

    kept = shrunk(range(STEPS), fails)
    words = f"python -m conformance.simulation --seed {seed} --only {','.join(map(str, kept))}"
    return f"{words} --without {without}" if without else words


def _shape(fault: str) -> str:
    """Return a fault without numbers, since they differ when steps are left out."""
    return re.sub(r"[0-9]+", "#", fault)


def _read(done: Path | None) -> set[int]:
    if done is None or not done.exists():
        return set()
    return {int(line) for line in done.read_text().split()}
