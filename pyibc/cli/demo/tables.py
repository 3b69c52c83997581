"""Tables of the demo: the chains' state beside Spark's results."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rich.console import Console

from localnet.demo.report import ChainResult, QueueResult


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
