"""`pyibc conformance DIR`, in a clone: runs vectors of other projects against this implementation."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from conformance.dispatch import lines, reports


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

    A line for each failure, then the sum of each folder, then the whole sum. A folder without a family's name
    is run file by file, each by the family it has the form of. A file that nobody understands, that cannot be
    read or that holds no case is a failure. What is left out is named with its reason, and not counted.

    Exit codes: 0 all passed, 1 failures, 2 wrong use.
    """
    passed = failed = 0
    anything = False
    for name, run in reports(folder.resolve()):
        with _showing(name):
            report = run()
        for line in lines(report):
            click.echo(line)
        anything = anything or bool(report.results)
        failed += len(report.failed)
        passed += report.passed
    if not anything:
        raise click.UsageError(f"{folder} holds no vectors")
    click.echo(f"{passed} passed, {failed} failed")
    if failed:
        raise SystemExit(1)
