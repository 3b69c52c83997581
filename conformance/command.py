"""Command `pyibc conformance DIR`: runs other projects' vectors against this implementation.

`pyibc` finds it by the entry point in conformance/pyproject.toml.
"""

from pathlib import Path

import click

from conformance.dispatch import lines, reports
from pyibc.cli.progress import progress


@click.command("conformance")
@click.argument("folder", metavar="DIR", type=click.Path(exists=True, file_okay=False, path_type=Path))
def command(folder: Path) -> None:
    """Run the conformance vectors in DIR, a folder of families (ics23, ibc-go, tendermint-rs, ...).

    Prints a line for each failure, then the total of each folder, then the grand total. In a folder that is
    not named after a family, each file is run by the family that its format belongs to. A file of unknown
    format, an unreadable file and a file without cases are failures. Skipped files are listed with the
    reason, and not counted.

    Exit codes: 0 all passed, 1 failures, 2 wrong usage.
    """
    passed = failed = 0
    anything = False
    for name, run in reports(folder.resolve()):
        with progress(f"running {name}"):
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
