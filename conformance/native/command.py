"""Command `python -m conformance.native`: runs each native function on 100,000 inputs by default."""

import sys

import click

from conformance.native import digests, events, exports, headers, proofs, results, signatures
from conformance.native.trial import MOST_SHOWN, Family, run_trials
from iavl import engine
from pyibc.core import native

FAMILIES: dict[str, Family] = {
    "signatures": signatures.trials,
    "headers": headers.trials,
    "present": proofs.present,
    "absent": proofs.absent,
    "events": events.trials,
    "results": results.trials,
    "exports": exports.trials,
    "ripemd160": digests.trials,
}


@click.command()
@click.option(
    "--cases", type=click.IntRange(1), default=100_000, show_default=True, help="Inputs of each family."
)
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--only", type=click.Choice(list(FAMILIES)), multiple=True, help="Run only these families.")
def command(cases: int, seed: int, only: tuple[str, ...]) -> None:
    """Run native code and Python on the same inputs; exit code 1 if they differ or nothing was accepted."""
    if native.NATIVE is None or engine.active.checker is None:
        raise click.ClickException(f"pyibc-native is {native.WHY}, its tree {engine.WHY}: make native")
    fine = 0
    names = only or tuple(FAMILIES)
    for name in names:
        result = run_trials(FAMILIES[name], cases, seed)
        wrong = len(result.disagreements)
        click.echo(
            f"{name}: {result.cases} cases, {result.accepted} accepted by native code, {wrong} disagreements"
        )
        for trial in result.disagreements[:MOST_SHOWN]:
            click.echo(f"  native: {trial.native}\n  Python: {trial.reference}\n  {trial.about}")
        fine += not wrong and result.accepted > 0
    click.echo(f"{fine} passed, {len(names) - fine} failed")
    sys.exit(0 if fine == len(names) else 1)
