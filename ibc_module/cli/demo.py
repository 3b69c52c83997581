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

from localnet.demo.story import ChainStory, Story, run


@click.command("demo")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path(".demo"),
    show_default=True,
    help="Folder for the chains, their exports and Spark's answers; what an earlier demo left is replaced.",
)
@click.option(
    "--transfers",
    type=click.IntRange(1, 100_000),
    default=300,
    show_default=True,
    help="Transfers both ways.",
)
@click.option("--master", default="local[2]", show_default=True, help="Spark master URL.")
def command(out: Path, transfers: int, master: str) -> None:
    """Let packets travel between two chains, and ask Spark where every one of them is.

    Leaves OUT/packets (Parquet), OUT/summary.json and OUT/report.html. Exit code 1 if Spark and the
    chains disagree, or if a coin is missing.
    """
    console = Console(highlight=False, soft_wrap=True)
    _clear(out)
    started = time.monotonic()
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
        disable=not sys.stdout.isatty(),
        transient=True,
    ) as progress:
        bar = progress.add_task("transfers", total=transfers)
        story = run(
            out,
            transfers,
            lambda line: console.print(f"  {line}"),
            lambda done: progress.update(bar, completed=done),
        )
    _tell_relayer(console, story)
    balanced = [_tell_books(console, chain) for chain in story.chains]
    summary = _index(story, out, master, console)
    agreed = _compare(console, story, summary) and all(balanced)
    console.print(f"\n{time.monotonic() - started:.0f} s. Report: {out / 'report.html'}")
    if not agreed:
        raise SystemExit(1)


def _clear(out: Path) -> None:
    """Removes what a demo leaves, and nothing else."""
    for name in ("chains", "export", "packets"):
        shutil.rmtree(out / name, ignore_errors=True)
    for name in ("summary.json", "report.html"):
        (out / name).unlink(missing_ok=True)
    out.mkdir(parents=True, exist_ok=True)


def _tell_relayer(console: Console, story: Story) -> None:
    done = story.metrics
    cpu_ms = sum(done.cpu_ns.values()) / 1e6
    console.print(
        f"  the relayer: {done.delivered} delivered, {done.acknowledged} acknowledged,"
        f" {done.timed_out} timed out"
        f" in {done.transactions} transactions with {done.updates} client updates, {cpu_ms:.0f} ms CPU"
        " (the chains' work in it included)"
    )


def _tell_books(console: Console, chain: ChainStory) -> bool:
    books = chain.books
    verdict = "conserved" if books.balanced else "NOT CONSERVED"
    console.print(
        f"  {books.denom} of {chain.chain_id}: supply {books.supply} ({verdict}), escrow {books.escrow}"
        f" = vouchers abroad {books.vouchers} + on the way {books.on_the_way}"
    )
    return books.balanced


def _index(story: Story, out: Path, master: str, console: Console) -> dict[str, Any]:
    from ibc_module.cli.index import run_index

    console.print("\nSpark reads the exported blocks:")
    run_index(story.exports, out, master)
    summary: dict[str, Any] = json.loads((out / "summary.json").read_text())
    return summary


def _compare(console: Console, story: Story, summary: dict[str, Any]) -> bool:
    """Spark's packets in flight beside the chains' open commitments."""
    agreed = True
    console.print(
        "\n  chain      blocks  sent  received  acknowledged  timed out  in flight  open in its state"
    )
    for chain in story.chains:
        row = summary["chains"][chain.chain_id]
        agreed = agreed and row["in_flight"] == chain.open_packets and row["blocks"] == chain.blocks
        console.print(
            f"  {chain.chain_id:<9} {row['blocks']:>7} {row['sent']:>5} {row['received']:>9}"
            f" {row['acknowledged']:>13} {row['timed_out']:>10} {row['in_flight']:>10}"
            f" {chain.open_packets:>18}"
        )
    console.print("  Spark and the chains agree" if agreed else "  SPARK AND THE CHAINS DISAGREE")
    return agreed
