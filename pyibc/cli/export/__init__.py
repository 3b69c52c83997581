"""`pyibc export`: writes a node's past blocks to a folder that `pyibc index` reads."""

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import click

from pyibc.cli.export.backfill import Backfill, Source, by_threads
from pyibc.cli.export.executors import Executors
from pyibc.cli.progress import progress
from pyibc.cli.reporting import sentence_of, stopped_by_signals, verbose_option
from pyibc.cli.spark import Master, keeping_interrupts
from pyibc.core.errors import IbcError
from pyibc.indexer.blocks.coverage import Heights
from pyibc.indexer.blocks.export import BlockExporter
from pyibc.indexer.locations import is_address
from pyibc.indexer.spark.tasks import Tasks, Work, spark_tasks
from pyibc.relayer.blocks.nodes import WORKERS
from pyibc.relayer.rpc.client import HttpRpc

_MISSING = "pyibc export --master needs pyibc[indexer] and a Java runtime of version 17 or later"


class _Folder(click.Path):
    """A folder of this machine; a URL would be a folder with its scheme as name."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path; reject URLs."""
        if is_address(str(value)):
            self.fail(f"{value} is a URL; blocks are exported to a folder of this machine", param, ctx)
        return super().convert(value, param, ctx)


@click.command("export")
@click.argument("urls", nargs=-1, required=True, metavar="URL...")
@click.option("--out", required=True, type=_Folder(file_okay=False, path_type=Path), help="Folder.")
@click.option("--chain-id", default="", help="Chain id  [default: the folder's, else the nodes']")
@click.option("--from", "first", type=click.IntRange(1), help="First height (the folder's, or the oldest).")
@click.option("--to", "last", type=click.IntRange(1), help="Last height (the chain's last).")
@click.option("--follow", is_flag=True, help="Continue with new blocks until SIGINT or SIGTERM.")
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    default=WORKERS,
    show_default=True,
    help="Concurrent calls; with --master, of each task.",
)
@click.option(
    "--master", type=Master(), help="Spark master (not sc://) whose executors fetch missing blocks."
)
@verbose_option
def command(urls: tuple[str, ...], out: Path, first: int | None, last: int | None, **options: Any) -> None:
    """Write the blocks of the CometBFT nodes at URL... to a folder, for `pyibc index`.

    Fetches missing blocks: gaps, and blocks after the last one. If a node fails the next one is queried; a
    node of another chain is refused. Ranges that no node has are reported and remain gaps. Exit code 1 if no
    node responds or a block does not exist yet (blocks before it are written), 2 for wrong use.

    With --master, Spark's executors fetch from the same URLs, and this process verifies and writes. With
    --follow they fetch the blocks that are missing at the start; then Spark is stopped, and this process
    follows.
    """
    _check_use(urls, first, last, follow=options["follow"])
    try:
        _export(urls, out, first, last, options)
    except ModuleNotFoundError as error:
        raise click.ClickException(f"{_MISSING} ({error.name} is missing)") from None
    except (IbcError, OSError) as error:
        raise click.ClickException(sentence_of(error)) from error


def _check_use(urls: tuple[str, ...], first: int | None, last: int | None, *, follow: bool) -> None:
    if first and last and first > last:
        raise click.UsageError(f"--from {first} is above --to {last}")
    if follow and last:
        raise click.UsageError("--follow has no end: omit --to")
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
    with ExitStack() as opened:
        tell = opened.enter_context(progress("fetching blocks", shows=not follow)).say
        nodes = tell if follow or len(urls) > 1 else _silent  # the error describes a single node
        if options["master"] is not None:
            start = partial(_start, options["master"], tell)
            source = Executors(start, workers, tell=tell, tell_of_nodes=nodes)
        exporter = opened.enter_context(BlockExporter(out))
        backfill = Backfill(
            urls,
            exporter,
            chain_id=options["chain_id"],
            tell=tell,
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
        said = _said(backfill.chain_id, written, exporter)
    click.echo(said)


@contextmanager
def _start(master: str, tell: Callable[[str], None], work: Work) -> Iterator[Tasks]:
    tell(f"starting Spark on {master}")
    with ExitStack() as stack:
        yield keeping_interrupts(stack.enter_context)(spark_tasks(master, work))


def _silent(_: str) -> None:
    """Ignore the text."""


def _said(chain_id: str, written: Heights, exporter: BlockExporter) -> str:
    if not written.ranges:
        return f"{chain_id}: nothing new after block {exporter.last_height}"
    return f"{chain_id}: blocks {', '.join(f'{first} to {last}' for first, last in written.ranges)}"
