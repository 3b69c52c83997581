"""What the rows of a run say of the chains at the ends of its packets."""

from collections.abc import Iterable
from typing import NamedTuple

from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from ibc_indexer.columns import KINDS, path_id
from ibc_indexer.names.facts import CHANNEL, FACT_TYPES
from ibc_indexer.names.registry import Registered
from ibc_indexer.names.resolve import QUEUE_END, Named, Names, Told, is_unknown
from ibc_indexer.packet_facts import QUEUE, RECV, V1, V2, WRITE_ACK
from ibc_indexer.scan import Skipped

MAX_TOLD = 500_000
"""Clients, connections and ends of channels that are read; a run with more names none of its chains."""

MAX_NOTES = 20

_TOLD = ("type", "chain", "client", "connection", "other_chain", "other_client")
_PACKET = ("protocol", "src_port", "src_channel", "dst_port", "dst_channel")
CLAIMS_DDL = "path_id bigint, end_id bigint, receiving boolean, named_chain string, named_by string"


class Claims(NamedTuple):
    """Chains at the other ends of packets, by the end that tells of them."""

    rows: DataFrame  # in the columns of `CLAIMS_DDL`: `end_id` is the number of the chain that tells
    notes: list[Skipped]


def claimed_ends(spark: SparkSession, events: DataFrame, registered: Iterable[Registered]) -> Claims:
    """Names the chain at the other end of every path that a chain's events are of, where that is known."""
    rows, notes = _told(events)
    names = Names([fact for row in rows for fact in _facts(row)], registered)
    named = [(row, _name(names, row)) for row in rows if row.receiving is not None]
    found = [(r.path_id, r.end_id, r.receiving, end.chain, end.by) for r, end in named if end.chain]
    notes += [
        Skipped("", f"{chain}: the chain at the other end of {end} is not decided: {reason}")
        for (chain, end), reason in sorted(names.conflicts.items())
    ]
    if len(notes) > MAX_NOTES:
        notes[MAX_NOTES:] = [Skipped("", f"{len(notes) - MAX_NOTES} more ends are not decided")]
    return Claims(spark.createDataFrame(found, CLAIMS_DDL), notes)


def _told(events: DataFrame) -> tuple[list[Row], list[Skipped]]:
    """What rows say, each thing once: facts (`receiving` is null), and ends of packets."""
    of_packet = F.col("type").isin(*KINDS)
    receiving = F.when(of_packet, F.col("type").isin(RECV, WRITE_ACK)).alias("receiving")
    kind = F.when(of_packet, CHANNEL).otherwise(F.col("type")).alias("type")
    chosen = events.where(of_packet | F.col("type").isin(*FACT_TYPES))
    grouped = chosen.select(kind, receiving, *_TOLD[1:], *_PACKET, "height").groupBy(
        "type", "receiving", *_TOLD[1:], *_PACKET
    )
    numbers = (path_id().alias("path_id"), F.xxhash64("chain").alias("end_id"))
    rows = grouped.agg(F.max("height").alias("height")).select("*", *numbers).limit(MAX_TOLD + 1).collect()
    if len(rows) > MAX_TOLD:
        return [], [Skipped("", f"more than {MAX_TOLD} clients, connections and channels: no chain is named")]
    return rows, []


def _facts(row: Row) -> list[Told]:
    """The fact that a row is; of a packet's end, which connection its channel is over."""
    if row.receiving is not None and row.protocol != V1:
        return []
    own, other = (row.dst_port, row.dst_channel), (row.src_port, row.src_channel)
    if not row.receiving:
        own, other = other, own
    if row.receiving is not None:
        other = (None, None)  # what a packet says of the other end is compared with the handshake
    return [
        Told(
            row.type,
            row.chain,
            row.client,
            row.connection,
            *own,
            *other,
            other_chain=row.other_chain,
            other_client=row.other_client,
            height=row.height,
        )
    ]


def _name(names: Names, row: Row) -> Named:
    own, other = (row.src_port or "", row.src_channel or ""), (row.dst_port or "", row.dst_channel or "")
    if row.receiving:
        own, other = other, own
    if row.protocol == QUEUE:
        return Named(other[1].partition("/")[0] or None, QUEUE_END)
    if is_unknown(row.chain):
        return Named()
    if row.protocol == V2:
        return names.of_client(row.chain, own[1], other[1])
    return names.of_channel(row.chain, *own, *other)
