"""`pyibc index`: recordings and exports in; packet table, summary and report out."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from pyibc.cli.index.live import KINDS, Command, Kinds, ListenAddress, Number, alert, fail_on, follow
from pyibc.cli.index.report import SinceType, report_options
from pyibc.cli.index.show import ANSWERS, shown
from pyibc.cli.progress import one_line, progress
from pyibc.cli.reporting import sentence_of, verbose_option
from pyibc.cli.spark import Master, keeping_interrupts
from pyibc.indexer.blocks.coverage import lacks
from pyibc.indexer.errors import IndexerError, NothingToIndex, UnreadableInput, UnusableFolder
from pyibc.indexer.locations import (
    EMPTY,
    AnyPath,
    absolute,
    existing,
    folder_here,
    is_address,
    local_path,
    store_scheme,
)

if TYPE_CHECKING:
    from pyibc.indexer.pipeline.report import Outcome
    from pyibc.indexer.report.options import ReportOptions
    from pyibc.indexer.spark.run import SparkEngine

_MISSING = "pyibc index needs pyibc[indexer], and for Spark a Java runtime of version 17 or later"


_WRITES = (
    "`pyibc export` writes the blocks of a node to a folder,"
    " and `pyibc localnet up --export` those of a localnet"
)
_NAMED = 3  # inputs in a message


class _NothingRead(click.ClickException):
    """Inputs without anything that can be read."""

    exit_code = 2


class _Schema(click.ParamType[str]):
    """Schema of Spark's catalog."""

    name = "schema"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name."""
        from pyibc.indexer.spark.names import schema_problem

        if problem := schema_problem(str(value)):
            self.fail(problem, param, ctx)
        return str(value)


class _Input(click.Path):
    """A path, or a URL, whose store is not accessed here."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path or URL."""
        if not str(value):
            self.fail(EMPTY, param, ctx)
        if is_address(str(value)):
            try:
                if self.exists:
                    existing(str(value))
                elif local_path(str(value)) is None:
                    store_scheme(str(value))
            except UnreadableInput as error:
                self.fail(str(error), param, ctx)
            except FileNotFoundError:
                self.fail(f"{value} does not exist: {_WRITES}", param, ctx)
            return str(value)
        if self.exists and not Path(value).exists():
            self.fail(f"{value} does not exist: {_WRITES}", param, ctx)
        return super().convert(value, param, ctx)


@click.command("index")
@click.argument(
    "inputs", nargs=-1, required=True, metavar="INPUT...", type=_Input(exists=True, path_type=Path)
)
@click.option(
    "--out", required=True, type=_Input(file_okay=False, path_type=Path), help="Folder for the results."
)
@click.option(
    "--engine",
    type=click.Choice(["spark", "local"]),
    help="Engine: Spark, or DuckDB in this process.  [default: local, with --master spark]",
)
@click.option(
    "--master",
    type=Master(),
    help="Spark master; implies --engine spark.  [default: local[*]]",
)
@click.option(
    "--catalog",
    type=_Schema(),
    metavar="SCHEMA",
    help="Register the tables in this schema of Spark's catalog; implies --engine spark.",
)
@click.option(
    "--show",
    multiple=True,
    type=click.Choice(list(ANSWERS)),
    help="Print a result; may be given several times.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the results of --show as one JSON object.")
@click.option(
    "--since",
    type=SinceType(),
    default="1d",
    show_default=True,
    help="Time window of the report: a duration before the end of the data (7d, 12h, 30min), a date, or all.",
)
@click.option(
    "--assets",
    multiple=True,
    type=click.Path(exists=True, path_type=Path),
    help="Asset list of the chain registry (assetlist.json) or a folder with some, for amounts in display"
    " units; may be given several times.",
)
@click.option("--follow", is_flag=True, help="Run again whenever the inputs grow, until SIGINT or SIGTERM.")
@click.option(
    "--pause",
    type=Number(0.05, 3600),
    default=1.0,
    show_default=True,
    help="Seconds between two checks of the inputs.",
)
@click.option(
    "--listen", type=ListenAddress(), help="With --follow: listen address.  [default: 127.0.0.1:9645]"
)
@click.option(
    "--alert",
    type=Command(),
    help="Command run with JSON on its standard input for whatever --fail-on can find.",
)
@click.option(
    "--alert-timeout",
    type=Number(0.1, 600),
    default=10.0,
    show_default=True,
    help="Timeout of the alert command, seconds.",
)
@click.option(
    "--expiring",
    type=Number(0, 100_000),
    default=24.0,
    show_default=True,
    help="Hours before its expiry from which a client counts as expiring.",
)
@click.option(
    "--fail-on",
    type=Kinds(),
    default=frozenset(),
    help=f"Exit with 3 if found: {', '.join(KINDS)}.",
)
@verbose_option
def command(inputs: tuple[AnyPath, ...], out: AnyPath, **options: Any) -> None:
    """Report the state of every packet: index exports, node recordings and packet tables.

    INPUT is a file or a folder, local or a URL such as s3://bucket/folder: blocks exported by a host;
    responses of nodes (/block, /block_results, /commit, /tx, tx_search, the REST gateway's tx_response), one
    or more per file, plain or compressed with gzip; the packet table of yanagihalab as Parquet. The format is
    detected by content.

    Writes the Delta tables OUT/gold/packets (one row per packet) and others, OUT/summary.json and
    OUT/report.html. The next run reads what is new since. Unreadable inputs are listed in the summary under
    "skipped" with a reason, and the exit code is still 0; it is 2 if nothing could be read or for wrong use,
    3 if --fail-on found something.

    With --follow it serves the report at http://127.0.0.1:9645/ and metrics for Prometheus at /metrics.
    """
    _check_use(options)
    options["report"] = report_options(options)
    is_spark = options["engine"] == "spark" or (options["master"], options["catalog"]) != (None, None)
    if not is_spark or not is_address(str(out)) or options["follow"] or options["alert"]:
        try:
            out = folder_here(out)
        except (UnusableFolder, UnreadableInput) as error:
            raise click.UsageError(f"--out: {error}") from None
    if options["follow"]:
        _follow(inputs, out, options)
        return
    engine = "spark" if is_spark else options["engine"]
    outcome = run_index(inputs, out, engine, options["master"], options["report"], options["catalog"])
    _say(outcome, out, quiet=options["as_json"])
    _show(outcome, options["show"], as_json=options["as_json"])
    alert(outcome, out, options, _tell)
    if not outcome.summary["chains"]:
        raise _NothingRead(one_line(f"no blocks or packets can be read from {_listed(inputs)}: {_WRITES}"))
    fail_on(outcome, options["fail_on"], options["expiring"] * 3600)


def _listed(inputs: Sequence[AnyPath]) -> str:
    """Return the names of inputs, the first ones of many."""
    names = [str(each) for each in inputs[:_NAMED]]
    more = len(inputs) - len(names)
    return ", ".join(names) + (f" and {more} other inputs" if more else "")


def _check_use(options: dict[str, Any]) -> None:
    if options["engine"] == "local" and options["master"] is not None:
        raise click.UsageError("--master is for Spark: omit it with --engine local")
    if options["engine"] == "local" and options["catalog"] is not None:
        raise click.UsageError("--catalog is for Spark: omit it with --engine local")
    if options["follow"] and options["catalog"] is not None:
        raise click.UsageError("--catalog registers the tables once: omit --follow")
    if options["follow"] and (options["show"] or options["as_json"] or options["fail_on"]):
        raise click.UsageError("--follow has no end: omit --show, --json and --fail-on")
    if options["listen"] and not options["follow"]:
        raise click.UsageError("--listen needs --follow")
    if options["as_json"] and not options["show"]:
        raise click.UsageError("--json needs --show")


def _follow(inputs: Sequence[AnyPath], out: AnyPath, options: dict[str, Any]) -> None:
    with _told_in_one_line():
        from pyibc.indexer.job import chosen

        engine = keeping_interrupts(chosen)(options["engine"], options["master"], _tell, quiet=True)
        follow(engine, inputs, Path(out), options, _tell)


def _show(outcome: "Outcome", names: Sequence[str], *, as_json: bool) -> None:
    answers = {name: shown(outcome, name) for name in names}
    if as_json:
        click.echo(json.dumps({name: answer.dicts() for name, answer in answers.items()}))
        return
    for name, answer in answers.items():
        click.echo(f"\n{name}")
        for line in answer.lines():
            click.echo(line)


def _tell(what: str) -> None:
    click.echo(one_line(what), err=True)


def run_index(
    inputs: Sequence[AnyPath],
    out: AnyPath,
    engine: str | None,
    master: str | None,
    report: "ReportOptions | None" = None,
    catalog: str | None = None,
) -> "Outcome":
    """Run the job, reporting its progress on standard error.

    Args:
        inputs: paths and URLs.
        out: folder of the results.
        engine: `spark` or `local`; None: the default.
        master: Spark master URL.
        report: options of the report; None: the default ones.
        catalog: schema of Spark's catalog in which the tables are registered.

    Raises:
        ClickException: an engine is not installed, or failed.
    """
    with _told_in_one_line():
        from pyibc.indexer.job import chosen, index, prepare_schema, register_tables
        from pyibc.indexer.report.options import DEFAULT_OPTIONS

        with progress("starting the index", eager=True) as step:
            opened = keeping_interrupts(chosen)(engine, master, step, quiet=True)
            if catalog is not None:
                prepare_schema(cast("SparkEngine", opened).session, catalog)
            outcome = index(opened, inputs, out, step, report or DEFAULT_OPTIONS)
            if catalog is not None:
                register_tables(cast("SparkEngine", opened).session, out, catalog)
            return outcome


@contextmanager
def _told_in_one_line() -> Iterator[None]:
    """Convert errors of the index to those of a command."""
    try:
        yield
    except NothingToIndex as error:
        raise _NothingRead(sentence_of(error)) from error
    except IndexerError as error:
        raise click.ClickException(sentence_of(error)) from error
    except ModuleNotFoundError as error:
        raise click.ClickException(f"{_MISSING} ({error.name} is missing)") from None


def _say(outcome: "Outcome", out: AnyPath, *, quiet: bool) -> None:
    """Print the result; if `quiet`, everything goes to standard error."""
    chains, skipped = outcome.summary["chains"], outcome.summary["skipped"]
    totals = outcome.answers.totals
    click.echo(f"{totals.packets} packets on {len(chains)} chains", err=quiet)
    names = ("succeeded", "failed", "timed_out", "in_flight", "stuck", "ack_overdue")
    counts = [f"{getattr(totals, name)} {name.replace('_', ' ')}" for name in names]
    unknown = totals.acknowledged - totals.succeeded - totals.failed
    counts[2:2] = [f"{unknown} with an unknown result"] if unknown > 0 else []
    receive_only = totals.packets - totals.acknowledged - totals.timed_out - totals.in_flight
    counts += [f"{receive_only} receive only"] if receive_only > 0 else []
    click.echo(", ".join(counts), err=quiet)
    for chain, numbers in chains.items():
        if numbers["gaps"]["heights"]:
            click.echo(one_line(f"{chain}: {lacks(numbers['gaps'])}"), err=quiet)
    for note in outcome.notes:
        click.echo(one_line(f"note: {note.file or 'packets'}: {note.reason}"), err=True)
    for entry in skipped:
        click.echo(one_line(f"skipped: {entry['file']}: {entry['reason']}"), err=True)
    wrote = (f"{absolute(out)}/{name}" for name in ("gold/packets", "summary.json", "report.html"))
    click.echo(f"wrote {', '.join(wrote)}", err=quiet)
