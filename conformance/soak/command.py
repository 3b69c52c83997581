"""Command `make relayer-soak`: simulates a day of the relayer daemon, with faults of each of five chains."""

import logging
import sys
import tempfile
from pathlib import Path

import click

from conformance.soak.live_run import LiveResult, live
from conformance.soak.run import Result, soak


@click.command()
@click.option("--hours", type=click.FloatRange(1), default=24.0, show_default=True, help="Simulated hours.")
@click.option("--seed", type=int, default=1, show_default=True)
@click.option(
    "--live",
    "live_s",
    type=click.FloatRange(20),
    help="Run live for this many seconds instead of simulating.",
)
def command(hours: float, seed: int, live_s: float | None) -> None:
    """Run five chains and six paths.

    Exit code 1: a packet is left, a path was delayed by another chain's fault, or an error has no class.
    """
    log = logging.getLogger("pyibc.relayer")
    log.propagate = False
    log.addHandler(logging.NullHandler())
    with tempfile.TemporaryDirectory() as folder:
        if live_s is not None:
            sys.exit(show_live(live(Path(folder), live_s, seed)))
        result = soak(Path(folder), hours, seed)
    show(result)
    sys.exit(0 if result.is_well else 1)


def show_live(result: LiveResult) -> int:
    """Print the result of a live run; return the exit code."""
    click.echo(f"{result.seconds:g} seconds, {result.packets} packets, {result.left} left")
    (untouched, quiet), (many, few) = result.p99_s, result.compared
    click.echo(
        f"p99 of {many} packets that no fault touched: {untouched:.2f} s, "
        f"of {few} before the first fault {quiet:.2f} s"
    )
    click.echo(f"the daemon's exit code: {result.exit_code}")
    for text in result.failed:
        click.echo(f"FAULT {text}")
    for chain_id, (paid, known) in result.fees.items():
        click.echo(f"{chain_id}: paid {paid}, by the ledger {known}")
    click.echo("1 passed, 0 failed" if result.is_well else "0 passed, 1 failed")
    return 0 if result.is_well else 1


def show(result: Result) -> None:
    """Print the result; return the exit code."""
    click.echo(f"{result.hours:g} hours, {result.packets} packets, {result.left} left, {result.calls} calls")
    bad, quiet = result.p99_s
    click.echo(f"p99 of packets that no fault touched: {bad:.2f} s, of a run without faults {quiet:.2f} s")
    for status in result.statuses:
        done = status.metrics
        counts = f"{done.delivered} delivered, {done.transactions} transactions, {done.refused} refused"
        click.echo(
            f"{status.name}: {status.state.value} {status.reason}: {counts}, {len(done.given_up)} given up"
        )
    for text in result.unclassified:
        click.echo(f"FAULT {text}")
    click.echo("1 passed, 0 failed" if result.is_well else "0 passed, 1 failed")
