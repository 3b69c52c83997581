"""`pyibc index`: recordings and exports in, packet table, summary and report out."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.status import Status

from ibc_indexer.coverage import lacks

if TYPE_CHECKING:
    from ibc_indexer.job import Outcome

_MISSING = "pyibc index needs pyibc[indexer], and for Spark a Java runtime of version 17 or later"


class _LocalPath(click.Path):
    """A path, and no URL: `s3a://bucket` would be a folder called `s3a:`."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path; fails for a URL."""
        if "://" in str(value):
            self.fail(f"{value} is no path of a file system: mount it", param, ctx)
        return super().convert(value, param, ctx)


@click.command("index")
@click.argument(
    "inputs", nargs=-1, required=True, metavar="INPUT...", type=_LocalPath(exists=True, path_type=Path)
)
@click.option(
    "--out", required=True, type=_LocalPath(file_okay=False, path_type=Path), help="Folder for the results."
)
@click.option(
    "--engine",
    type=click.Choice(["spark", "local"]),
    help="Who answers: Spark, or DuckDB in this process. Unless told, by the number of events.",
)
@click.option("--master", help="Spark master, any URL; implies --engine spark. Unless told, local[2].")
def command(inputs: tuple[Path, ...], out: Path, engine: str | None, master: str | None) -> None:
    """Say where every packet is: index exports, node recordings and packet tables.

    INPUT is a file or a folder: blocks that a host exported; answers of nodes (/block, /block_results,
    /commit, /tx, tx_search, the REST gateway's tx_response), one or many to a file, plain or packed with
    gzip; the packet table of yanagihalab as Parquet. They are told apart by content.

    Writes OUT/packets (Parquet, one row a packet), OUT/summary.json and OUT/report.html. What could not be
    read is listed in the summary under "skipped" with a reason, and the exit status is still 0; it is 2 where
    nothing could be read or the command was used wrongly.
    """
    if engine == "local" and master is not None:
        raise click.UsageError("--master is Spark's: not with --engine local")
    outcome = run_index(inputs, out, engine, master)
    _say(outcome, out)
    if not outcome.summary["chains"]:
        click.echo("nothing to index: no input could be read", err=True)
        raise click.exceptions.Exit(2)


def run_index(inputs: Sequence[Path], out: Path, engine: str | None, master: str | None) -> "Outcome":
    """Runs the job, reporting its progress on standard error.

    Raises:
        ClickException: an engine is not installed, or failed.
    """
    progress = _Progress()
    try:
        from ibc_indexer.choosing import chosen
        from ibc_indexer.errors import EngineFailed, IndexBusy, SealingFailed
        from ibc_indexer.job import index

        try:
            return index(chosen(engine, master, progress), inputs, out, progress)
        except (EngineFailed, IndexBusy, SealingFailed) as error:
            raise click.ClickException(str(error)) from error
    except ModuleNotFoundError as error:
        raise click.ClickException(f"{_MISSING} ({error.name} is missing)") from None
    finally:
        progress.close()


def _say(outcome: "Outcome", out: Path) -> None:
    chains, skipped = outcome.summary["chains"], outcome.summary["skipped"]
    click.echo(f"{outcome.answers.totals.packets} packets on {len(chains)} chains")
    for chain, numbers in chains.items():
        if numbers["gaps"]:
            click.echo(_line(f"{chain}: {lacks(numbers['gaps'])}"))
    for note in outcome.notes:
        click.echo(_line(f"note: {note.file or 'packets'}: {note.reason}"), err=True)
    for entry in skipped:
        click.echo(_line(f"skipped: {entry['file']}: {entry['reason']}"), err=True)
    click.echo(f"wrote {out / 'packets'}, {out / 'summary.json'}, {out / 'report.html'}")


def _line(text: str) -> str:
    """The text in one line: file names and error texts may contain line breaks."""
    return " ".join(text.splitlines())


class _Progress:
    """Shows progress: one changing line on a terminal, plain lines elsewhere."""

    def __init__(self) -> None:
        self._console = Console(stderr=True)
        self._status: Status | None = None
        self._plain_reads = 0
        if self._console.is_terminal:
            self._status = self._console.status("")
            self._status.start()

    def __call__(self, message: str) -> None:
        if self._status is not None:
            self._status.update(message)
        elif not message.startswith("reading ") or self._plain_reads == 0:
            self._plain_reads += message.startswith("reading ")
            print(message, file=sys.stderr, flush=True)

    def close(self) -> None:
        """Removes the changing line."""
        if self._status is not None:
            self._status.stop()
