"""What the rows of a run say of the chains at the ends of its packets."""

from collections.abc import Iterable, Mapping
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


_End = tuple[int, int, bool]  # path, the number of the chain that tells, whether it receives on that path


class Claims(NamedTuple):
    """Chains at the other ends of packets, by the end that tells of them."""

    named: dict[_End, Named]
    chains: dict[int, str]  # the chains that tell, by their numbers
    notes: list[Skipped]

    def rows(self, spark: SparkSession) -> DataFrame:
        """In the columns of `CLAIMS_DDL`."""
        return spark.createDataFrame([(*end, *named) for end, named in self.named.items()], CLAIMS_DDL)

    def contradicting(self, senders: Mapping[tuple[int, int], int]) -> list[Skipped]:
        """Notes of ends that packets pair (`pairing.py`) with another chain than is claimed."""
        sides = [
            side
            for (path, receiver), sender in senders.items()
            for side in (((path, sender, False), receiver), ((path, receiver, True), sender))
        ]
        differing = {
            f"{self.chains[end[1]]} names {self.named[end].chain} at an end whose packets are of {known}"
            for end, other in sides
            if end in self.named and (known := self.chains.get(other)) not in {None, self.named[end].chain}
        }
        return _shortened([Skipped("", f"{text}: the packets decide") for text in sorted(differing)])


def claimed_ends(events: DataFrame, registered: Iterable[Registered]) -> Claims:
    """Names the chain at the other end of every path that a chain's events are of, where that is known."""
    rows, notes = _told(events)
    names = Names([fact for row in rows for fact in _facts(row)], registered)
    ends = {(row.path_id, row.end_id, row.receiving): row for row in rows if row.receiving is not None}
    named = {end: found for end, row in ends.items() if (found := _name(names, row)).chain}
    differing = [
        Skipped("", f"{chain}: what is known of the other end of {end} differs: {reason}")
        for (chain, end), reason in sorted(names.conflicts.items())
    ]
    chains = {row.end_id: row.chain for row in rows}
    return Claims(named, chains, [*notes, *_shortened(differing)])


def _shortened(notes: list[Skipped]) -> list[Skipped]:
    if len(notes) <= MAX_NOTES:
        return notes
    return [*notes[:MAX_NOTES], Skipped("", f"{len(notes) - MAX_NOTES} more ends of which facts differ")]


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
