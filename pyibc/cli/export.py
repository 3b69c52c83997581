"""`pyibc export`: writes a node's past blocks to a folder that `pyibc index` reads."""

import threading
from contextlib import AbstractContextManager, ExitStack, closing
from functools import partial
from pathlib import Path
from typing import Any

import click

from ibc_core.errors import IbcError
from ibc_indexer.connect import SCHEME
from ibc_indexer.coverage import Heights
from ibc_indexer.export import BlockExporter
from ibc_indexer.spark_tasks import Tasks, Work, spark_tasks
from ibc_relayer.block_nodes import WORKERS
from ibc_relayer.rpc_client import HttpRpc
from pyibc.cli.backfill import Backfill, Source, by_threads
from pyibc.cli.executors import Executors
from pyibc.cli.stopping import stopped_by_signals

_MISSING = "pyibc export --master needs pyibc[indexer] and a Java runtime of version 17 or later"


@click.command("export")
@click.argument("urls", nargs=-1, required=True, metavar="URL...")
@click.option("--out", required=True, type=click.Path(file_okay=False, path_type=Path), help="The folder.")
@click.option("--chain-id", default="", help="The chain  [default: the folder's; of an empty one the nodes']")
@click.option("--from", "first", type=click.IntRange(1), help="First height (the folder's, or the oldest).")
@click.option("--to", "last", type=click.IntRange(1), help="Last height (the chain's last).")
@click.option("--follow", is_flag=True, help="Go on with new blocks until SIGINT or SIGTERM.")
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    default=WORKERS,
    show_default=True,
    help="Calls under way at once; with --master of each task.",
)
@click.option("--master", help="Spark master, not sc://: its executors fetch what lacks.")
def command(urls: tuple[str, ...], out: Path, first: int | None, last: int | None, **options: Any) -> None:
    """Write the blocks of the CometBFT nodes at URL... to a folder, for `pyibc index`.

    Fetches what lacks there: gaps, and what is behind the last block. Where one node fails another is asked;
    a node of another chain is refused. Ranges that no node keeps are named and stay gaps. Exit code 1 if no
    node answers or a block is not there yet (those before it are written), 2 for wrong use.

    With --master Spark's executors fetch, with the URLs as they are given here, and this process checks and
    writes. With --follow they bring what lacks at first; then Spark is left, and this process follows.
    """
    _check_use(urls, first, last, follow=options["follow"])
    if str(options["master"] or "").startswith(SCHEME):
        raise click.UsageError("--master: executors are Spark's own to reach, not by Spark Connect")
    try:
        _export(urls, out, first, last, options)
    except ModuleNotFoundError as error:
        raise click.ClickException(f"{_MISSING} ({error.name} is missing)") from None
    except (IbcError, OSError) as error:
        raise click.ClickException(str(error)) from error


def _check_use(urls: tuple[str, ...], first: int | None, last: int | None, *, follow: bool) -> None:
    if first and last and first > last:
        raise click.UsageError(f"--from {first} is above --to {last}")
    if follow and last:
        raise click.UsageError("--follow has no end: leave out --to")
    try:
        for url in urls:
            HttpRpc(url)
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def _export(
    urls: tuple[str, ...], out: Path, first: int | None, last: int | None, options: dict[str, Any]
) -> None:
    follow, workers = options["follow"], options["workers"]
    source: Source = by_threads
    nodes = _tell if follow or len(urls) > 1 else _silent  # of a single node the error tells
    if options["master"] is not None:
        source = Executors(partial(_start, options["master"]), workers, tell=_tell, tell_of_nodes=nodes)
    with ExitStack() as opened:
        exporter = opened.enter_context(BlockExporter(out))
        backfill = Backfill(
            urls,
            exporter,
            chain_id=options["chain_id"],
            tell=_tell,
            tell_of_nodes=nodes,
            workers=workers,
        )
        opened.enter_context(closing(backfill))
        stop = threading.Event()
        if follow:
            opened.enter_context(stopped_by_signals(stop))
            written = backfill.follow(first, stop, source)
        else:
            written = backfill.run(first, last, stop, source).written
        click.echo(_said(backfill.chain_id, written, exporter))


def _start(master: str, work: Work) -> AbstractContextManager[Tasks]:
    _tell(f"starting Spark on {master}")
    return spark_tasks(master, work)


def _tell(what: str) -> None:
    click.echo(what, err=True)


def _silent(_: str) -> None:
    """Says nothing."""


def _said(chain_id: str, written: Heights, exporter: BlockExporter) -> str:
    if not written.ranges:
        return f"{chain_id}: nothing new behind block {exporter.last_height}"
    return f"{chain_id}: blocks {', '.join(f'{first} to {last}' for first, last in written.ranges)}"
