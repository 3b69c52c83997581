"""`pyibc demo`: two chains, real packets, Spark, a report."""

import json
import shutil
import sys
import time
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from localnet.demo import queue as queues
from localnet.demo import scenario as channels
from localnet.demo.report import DemoResult
from pyibc.cli.demo.tables import compare_chains, compare_queues, print_audit
from pyibc.cli.explaining import verbose_option
from pyibc.cli.progress import progress
from pyibc.cli.spark import require_java
from pyibc.installation import need

SCENARIOS = {"channel": channels.run, "queue": queues.run}


@click.command("demo")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path(".demo"),
    show_default=True,
    help="Folder for the chains, their exports and Spark's results; files of an earlier demo are replaced.",
)
@click.option(
    "--transfers",
    type=click.IntRange(1, 100_000),
    default=300,
    show_default=True,
    help="Transfers in both directions.",
)
@click.option(
    "--protocol",
    type=click.Choice(list(SCENARIOS)),
    default="channel",
    show_default=True,
    help="Transport of packets: ICS-4 channels, or the provable queues of the early protocol.",
)
@click.option("--master", default="local[2]", show_default=True, help="Spark master URL.")
@verbose_option
def command(out: Path, transfers: int, protocol: str, master: str) -> None:
    """Relay packets between two chains, and query every packet's state with Spark.

    Writes the Delta tables OUT/gold/packets and others, OUT/summary.json and OUT/report.html. Exit code 1 if
    Spark and the chains disagree, or if a coin is missing.
    """
    need("indexer")
    require_java()
    console = Console(highlight=False, soft_wrap=True)
    _clear(out)
    started = time.monotonic()
    is_terminal = sys.stdout.isatty()
    with (
        progress("relaying packets between the chains", shows=not is_terminal) as step,
        Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=console,
            disable=not is_terminal,
            transient=True,
        ) as bars,
    ):
        bar = bars.add_task("transfers", total=transfers)
        result = SCENARIOS[protocol](
            out,
            transfers,
            lambda line: step.aside(lambda: console.print(f"  {line}")),
            lambda done: bars.update(bar, completed=done),
        )
    balanced = [print_audit(console, chain) for chain in result.chains]
    summary = _index(result, out, master, console)
    agreed = _compare(console, result, summary, out) and all(balanced)
    console.print(f"\n{time.monotonic() - started:.0f} s. Report: {out / 'report.html'}")
    if not agreed:
        raise SystemExit(1)


def _clear(out: Path) -> None:
    """Remove the files of an earlier demo, and nothing else; create the folder if there is none."""
    for name in ("chains", "export", "gold", "silver", "_checkpoint", "_source"):
        shutil.rmtree(out / name, ignore_errors=True)
    for name in ("summary.json", "report.html"):
        (out / name).unlink(missing_ok=True)
    out.mkdir(parents=True, exist_ok=True)


def _index(result: DemoResult, out: Path, master: str, console: Console) -> dict[str, Any]:
    from pyibc.cli.index import run_index

    console.print("\nSpark reads the exported blocks:")
    run_index(result.exports, out, "spark", master)
    summary: dict[str, Any] = json.loads((out / "summary.json").read_text())
    return summary


def _compare(console: Console, result: DemoResult, summary: dict[str, Any], out: Path) -> bool:
    """Compare Spark's packets with the chains' own state."""
    agreed = compare_chains(console, result.chains, summary)
    if result.queues:
        agreed = compare_queues(console, result.queues, out) and agreed
    console.print("  Spark and the chains agree" if agreed else "  SPARK AND THE CHAINS DISAGREE")
    return agreed
