"""`pyibc index`: recordings and exports in, packet table, summary and report out."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.markup import escape
from rich.status import Status

from ibc_indexer.coverage import lacks
from ibc_indexer.errors import UnreadableInput, UnusableFolder
from ibc_indexer.storage.locations import Location, check_results, is_address, location_of
from ibc_indexer.storage.objects import ObjectPath
from pyibc.cli.index_live import Address, Command, Kinds, alert, fail_on, follow
from pyibc.cli.index_show import ANSWERS, show

if TYPE_CHECKING:
    from ibc_indexer.job import Outcome

_MISSING = "pyibc index needs pyibc[indexer], and for Spark a Java runtime of version 17 or later"


class _Location(click.Path):
    """A path, or the address of objects in a bucket; nothing is asked of a store here."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The place; fails for an address of another kind: `hdfs://x` would be a folder called `hdfs:`."""
        if not is_address(str(value)):
            return super().convert(value, param, ctx)
        try:
            return location_of(str(value))
        except UnreadableInput as error:
            self.fail(str(error), param, ctx)


@click.command("index")
@click.argument(
    "inputs", nargs=-1, required=True, metavar="INPUT...", type=_Location(exists=True, path_type=Path)
)
@click.option(
    "--out", required=True, type=_Location(file_okay=False, path_type=Path), help="Folder for the results."
)
@click.option(
    "--engine",
    type=click.Choice(["spark", "local"]),
    help="Who answers: Spark, or DuckDB in this process. Unless told, by how much there is to do.",
)
@click.option(
    "--master",
    help="Spark master, or sc://HOST of Spark Connect; implies --engine spark. Unless told, local[2].",
)
@click.option(
    "--show",
    multiple=True,
    type=click.Choice(list(ANSWERS)),
    help="Print an answer; may be given several times.",
)
@click.option("--json", "as_json", is_flag=True, help="Print what --show names as one JSON object.")
@click.option("--follow", is_flag=True, help="Run again whenever the inputs grow, until SIGINT or SIGTERM.")
@click.option(
    "--pause",
    type=click.FloatRange(0.05, 3600),
    default=1.0,
    show_default=True,
    help="Seconds between two looks at the inputs.",
)
@click.option("--listen", type=Address(), help="With --follow: where to serve; unless told, 127.0.0.1:9645.")
@click.option(
    "--alert",
    type=Command(),
    help="Run with JSON on its standard input when packets are stuck or clients expire.",
)
@click.option(
    "--alert-timeout",
    type=click.FloatRange(0.1, 600),
    default=10.0,
    show_default=True,
    help="Seconds that it has.",
)
@click.option(
    "--expiring",
    type=click.FloatRange(0, 100_000),
    default=24.0,
    show_default=True,
    help="Hours before a client expires that count.",
)
@click.option("--fail-on", type=Kinds(), default="", help="Exit with 3 if there are such: stuck, expiring.")
def command(inputs: tuple[Location, ...], out: Location, **options: Any) -> None:
    """Say where every packet is: index exports, node recordings and packet tables.

    INPUT is a file or a folder: blocks that a host exported; answers of nodes (/block, /block_results,
    /commit, /tx, tx_search, the REST gateway's tx_response), one or many to a file, plain or packed with
    gzip; the packet table of yanagihalab as Parquet. They are told apart by content.

    Writes OUT/packets (Parquet, one row a packet), OUT/summary.json and OUT/report.html. What could not be
    read is listed in the summary under "skipped" with a reason, and the exit status is still 0; it is 2 where
    nothing could be read or the command was used wrongly, 3 if there is what --fail-on names.

    With --follow it serves the report at http://127.0.0.1:9645/ and numbers for Prometheus at /metrics.
    """
    _check_use(options)
    try:
        check_results(out)
    except UnusableFolder as error:
        raise click.UsageError(f"--out: {error}") from None
    if options["follow"]:
        _follow(inputs, out, options)
        return
    outcome = run_index(inputs, out, options["engine"], options["master"])
    _say(outcome, out, quiet=options["as_json"])
    _show(outcome, options["show"], as_json=options["as_json"])
    alert(outcome, out, options, _tell)
    if not outcome.summary["chains"]:
        click.echo("nothing to index: no input could be read", err=True)
        raise click.exceptions.Exit(2)
    fail_on(outcome, options["fail_on"], options["expiring"] * 3600)


def _check_use(options: dict[str, Any]) -> None:
    if options["engine"] == "local" and options["master"] is not None:
        raise click.UsageError("--master is Spark's: not with --engine local")
    if options["follow"] and (options["show"] or options["as_json"] or options["fail_on"]):
        raise click.UsageError("--follow has no end: leave out --show, --json and --fail-on")
    if options["listen"] and not options["follow"]:
        raise click.UsageError("--listen goes with --follow")
    if options["as_json"] and not options["show"]:
        raise click.UsageError("--json goes with --show")


def _follow(inputs: Sequence[Location], out: Location, options: dict[str, Any]) -> None:
    try:
        from ibc_indexer.choosing import chosen

        storage = isinstance(out, ObjectPath)
        engine = chosen(options["engine"], options["master"], _tell, storage=storage)
        follow(engine, inputs, out, options, _tell)
    except ModuleNotFoundError as error:
        raise click.ClickException(f"{_MISSING} ({error.name} is missing)") from None


def _show(outcome: "Outcome", names: Sequence[str], *, as_json: bool) -> None:
    answers = {name: show(outcome, name) for name in names}
    if as_json:
        click.echo(json.dumps({name: answer.dicts() for name, answer in answers.items()}))
        return
    for name, answer in answers.items():
        click.echo(f"\n{name}")
        for line in answer.lines():
            click.echo(line)


def _tell(what: str) -> None:
    click.echo(_line(what), err=True)


def run_index(inputs: Sequence[Location], out: Location, engine: str | None, master: str | None) -> "Outcome":
    """Runs the job, reporting its progress on standard error.

    Raises:
        ClickException: an engine is not installed, or failed.
    """
    progress = _Progress()
    try:
        from ibc_indexer.choosing import chosen
        from ibc_indexer.errors import IndexerError
        from ibc_indexer.job import index

        try:
            storage = isinstance(out, ObjectPath)
            return index(chosen(engine, master, progress, storage=storage), inputs, out, progress)
        except IndexerError as error:
            raise click.ClickException(str(error)) from error
    except ModuleNotFoundError as error:
        raise click.ClickException(f"{_MISSING} ({error.name} is missing)") from None
    finally:
        progress.close()


def _say(outcome: "Outcome", out: Location, *, quiet: bool) -> None:
    """What was found; quietly all of it goes to standard error."""
    chains, skipped = outcome.summary["chains"], outcome.summary["skipped"]
    click.echo(f"{outcome.answers.totals.packets} packets on {len(chains)} chains", err=quiet)
    for chain, numbers in chains.items():
        if numbers["gaps"]:
            click.echo(_line(f"{chain}: {lacks(numbers['gaps'])}"), err=quiet)
    for note in outcome.notes:
        click.echo(_line(f"note: {note.file or 'packets'}: {note.reason}"), err=True)
    for entry in skipped:
        click.echo(_line(f"skipped: {entry['file']}: {entry['reason']}"), err=True)
    click.echo(f"wrote {out / 'packets'}, {out / 'summary.json'}, {out / 'report.html'}", err=quiet)


def _line(text: str) -> str:
    """The text in one line, as a terminal may show it: names of files and chains may hold anything."""
    line = " ".join(text.splitlines())
    return line if line.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in line)


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
        line = _line(message)
        if self._status is not None:
            self._status.update(escape(line))
        elif not line.startswith("reading ") or self._plain_reads == 0:
            self._plain_reads += line.startswith("reading ")
            print(line, file=sys.stderr, flush=True)

    def close(self) -> None:
        """Removes the changing line."""
        if self._status is not None:
            self._status.stop()
