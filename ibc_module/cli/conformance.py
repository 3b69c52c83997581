"""`pyibc conformance`: runs vectors of other projects against this implementation."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from ibc_module.conformance.dispatch import families, lines, run_family


@contextmanager
def _showing(family: str) -> Iterator[None]:
    """On a terminal: which family is at work."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(f"{family} ..."):
        yield


@click.command("conformance")
@click.argument("folder", metavar="DIR", type=click.Path(exists=True, file_okay=False, path_type=Path))
def command(folder: Path) -> None:
    """Run the conformance vectors in DIR, a folder of families (ics23, ibc-go, tendermint-rs, ...).

    A line for each failure, then the sum of each family, then the whole sum. A family that no runner knows is
    named and not counted; a file in a known family that its runner does not know is a failure.

    Exit codes: 0 all passed, 1 failures, 2 wrong use.
    """
    found = families(folder.resolve())
    if not found:
        raise click.UsageError(f"{folder} holds no folder of vectors")
    passed = failed = 0
    understood = False
    for family in found:
        with _showing(family.name):
            report = run_family(family)
        for line in lines(report):
            click.echo(line)
        understood = understood or report.understood
        failed += len(report.failed)
        passed += len(report.results) - len(report.failed)
    click.echo(f"{passed} passed, {failed} failed")
    if not understood:
        raise click.UsageError(f"{folder} holds no folder of vectors that is known here")
    if failed:
        raise SystemExit(1)
