"""`pyibc demo`: two chains, real packets, Spark, a report."""

import json
import shutil
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from localnet.demo import queue as queues
from localnet.demo import scenario as channels
from localnet.demo.scenario import ChainResult, DemoResult, QueueResult
from pyibc.cli.progress import progress
from pyibc.cli.reporting import verbose_option
from pyibc.cli.spark import Master, require_java
from pyibc.installation import need


def print_audit(console: Console, chain: ChainResult) -> bool:
    """Print the distribution of a chain's coins; return whether the supply is conserved."""
    audit = chain.audit
    verdict = "conserved" if audit.balanced else "NOT CONSERVED"
    console.print(
        f"  {audit.denom} of {chain.chain_id}: supply {audit.supply} ({verdict}), escrow {audit.escrow}"
        f" = vouchers abroad {audit.vouchers} + on the way {audit.on_the_way}"
    )
    return audit.balanced


def compare_chains(console: Console, chains: Iterable[ChainResult], summary: dict[str, Any]) -> bool:
    """Print Spark's packets in flight beside those open in the chains' state; return whether they agree."""
    agreed = True
    console.print(
        "\n  chain      blocks  sent  received  acknowledged  failed  timed out  in flight  open in its state"
    )
    for chain in chains:
        row = summary["chains"][chain.chain_id]
        agreed = agreed and row["in_flight"] == chain.open_packets and row["blocks"] == chain.blocks
        console.print(
            f"  {chain.chain_id:<9} {row['blocks']:>7} {row['sent']:>5} {row['received']:>9}"
            f" {row['acknowledged']:>13} {row['failed']:>7} {row['timed_out']:>10} {row['in_flight']:>10}"
            f" {chain.open_packets:>18}"
        )
    return agreed


def compare_queues(console: Console, queues: Iterable[QueueResult], results: Path) -> bool:
    """Print Spark's rows of each pair of ends beside its queue's head and tail; return whether they agree.

    `results` is the folder of the index.

    A queue's tail is the number of packets sent, its head that of packets acknowledged or timed out.
    """
    counted = _counted(results)
    known = {(queue.source, queue.destination): (queue.tail, queue.head) for queue in queues}
    width = max(len(source) + len(destination) for source, destination in known) + 4
    console.print(f"\n  {'queue of packets':<{width}}  sent  tail  done  head")
    for (source, destination), (tail, head) in known.items():
        sent, done = counted.get((source, destination), (0, 0))
        console.print(f"  {f'{source} to {destination}':<{width}} {sent:>5} {tail:>5} {done:>5} {head:>5}")
    return counted == known


def _counted(results: Path) -> dict[tuple[str, str], tuple[int, int]]:
    """Return the number of packets sent, and of those acknowledged or timed out, by ends."""
    from deltalake import DeltaTable

    from pyibc.indexer.pipeline.tables import PACKETS

    columns = ["src_channel", "dst_channel", "sent", "acknowledged", "timed_out"]
    counted = dict[tuple[str, str], tuple[int, int]]()
    for row in (
        DeltaTable((results / PACKETS.name).absolute().as_uri()).to_pyarrow_table(columns=columns).to_pylist()
    ):
        ends = row["src_channel"], row["dst_channel"]
        sent, done = counted.get(ends, (0, 0))
        counted[ends] = sent + row["sent"], done + (row["acknowledged"] or row["timed_out"])
    return counted


SCENARIOS = {"channel": channels.run, "queue": queues.run}


@click.command("demo")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
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
@click.option("--master", type=Master(), default="local[2]", show_default=True, help="Spark master.")
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
    """Make the folder; of an earlier demo, remove its files and nothing else."""
    out.mkdir(parents=True, exist_ok=True)
    for name in ("chains", "export", "gold", "silver", "_checkpoint", "_source"):
        shutil.rmtree(out / name, ignore_errors=True)
    for name in ("summary.json", "report.html"):
        (out / name).unlink(missing_ok=True)


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
