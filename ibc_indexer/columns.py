"""Packet events as numbers: what the aggregation groups and compares.

Names (chains, paths, relayers, denoms, error texts) become 64-bit hashes; `dictionary` brings them back.
Amounts become two numbers of 18 digits each; the rare longer one is kept as a name.
"""

from typing import NamedTuple

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from ibc_indexer.packet_facts import ACK, QUEUE, RECV, SEND, TIMEOUT, WRITE_ACK

KINDS = (SEND, RECV, WRITE_ACK, ACK, TIMEOUT)  # a kind's number is its place
RECEIVING = (KINDS.index(RECV), KINDS.index(WRITE_ACK))
ACK_STATES = ("opaque", "success", "error")  # a state's number is its place plus one; the worse wins
LIMB = 18  # digits in a number
PATH = ("protocol", "src_port", "src_channel", "dst_port", "dst_channel")
NAMED = ("relayer", "denom", "detail", "big_amount")  # columns that the dictionary brings back


def numeric(events: DataFrame) -> DataFrame:
    """The packet events of `events` as numbers."""
    chosen = events.where(F.col("type").isin(*KINDS))
    digits = F.length("amount")
    padded = F.lpad("amount", 2 * LIMB, "0")
    small = digits <= 2 * LIMB
    return chosen.select(
        _place(F.col("type"), KINDS).cast("tinyint").alias("kind"),
        F.xxhash64("chain").alias("chain_id"),
        path_id().alias("path_id"),
        "sequence",
        "height",
        "time_ns",
        _place_in_chain().alias("place"),
        "timeout_revision",
        "timeout_height",
        "timeout_ns",
        "data_digest",
        _id("relayer"),
        _id("denom"),
        F.when(small, padded.substr(LIMB + 1, LIMB).cast("bigint")).alias("amount_low"),
        F.when(small, padded.substr(1, LIMB).cast("bigint")).alias("amount_high"),
        F.when(~small, F.xxhash64("amount")).alias("big_amount_id"),
        (_place(F.col("ack"), ACK_STATES) + 1).cast("tinyint").alias("ack"),
        F.when(F.col("ack") == "error", F.xxhash64("detail")).alias("detail_id"),
    )


def dictionary(events: DataFrame) -> DataFrame:
    """(id, name) of every relayer, denom, error text and long amount in `events`."""
    chosen = events.where(F.col("type").isin(*KINDS))
    long_amount = F.when(F.length("amount") > 2 * LIMB, F.col("amount"))
    error = F.when(F.col("ack") == "error", F.col("detail"))
    names = chosen.select(F.explode(F.array("relayer", "denom", error, long_amount)).alias("name"))
    return names.where("name is not null").distinct().select(F.xxhash64("name").alias("id"), "name")


class Path(NamedTuple):
    """The ports and channels of a `path_id`, and how many events each side of it has."""

    path_id: int
    protocol: int
    src_port: str | None
    src_channel: str | None
    dst_port: str | None
    dst_channel: str | None
    back: int  # the `path_id` of the opposite direction
    src_id: int | None  # the chains that the path itself names: queues do
    dst_id: int | None
    received: int
    sent: int


PATH_DDL = (
    "path_id bigint, protocol tinyint, src_port string, src_channel string, dst_port string, "
    "dst_channel string, back bigint, src_id bigint, dst_id bigint, received bigint, sent bigint"
)


def paths(events: DataFrame) -> list[Path]:
    """Every path in `events`: as many as there are channels, in both directions."""
    protocol, src_port, src_channel, dst_port, dst_channel = PATH
    back = path_id((protocol, dst_port, dst_channel, src_port, src_channel))
    receiving = F.col("type").isin(RECV, WRITE_ACK)
    found = events.where(F.col("type").isin(*KINDS)).groupBy(*PATH)
    counted = found.agg(
        F.count(F.when(receiving, 1)).alias("received"), F.count(F.when(~receiving, 1)).alias("sent")
    )
    ends = (_named_chain("src_channel"), _named_chain("dst_channel"))
    return [Path(*row) for row in counted.select(path_id(), *PATH, back, *ends, "received", "sent").collect()]


def _named_chain(end: str) -> Column:
    """The number of the chain that an end of queues names: what stands before its first slash."""
    return F.when(F.col("protocol") == QUEUE, F.xxhash64(F.substring_index(end, "/", 1)))


def path_id(columns: tuple[str, ...] = PATH) -> Column:
    """The number of a path; nulls count as empty, so that they keep their place in the hash."""
    return F.xxhash64(*(F.coalesce(F.col(column).cast("string"), F.lit("")) for column in columns))


def _id(column: str) -> Column:
    return F.when(F.col(column).isNotNull(), F.xxhash64(column)).alias(f"{column}_id")


def _place_in_chain() -> Column:
    """Orders transactions; heights beyond 2^43 or a million transactions a block blur the order, no more."""
    index = F.least(F.coalesce("tx_index", F.lit(-1)) + 1, F.lit((1 << 20) - 1))
    return F.shiftleft("height", 20).bitwiseOR(index.cast("bigint"))


def _place(column: Column, names: tuple[str, ...]) -> Column:
    place = F.lit(None)
    for number, name in enumerate(names):
        place = F.when(column == name, F.lit(number)).otherwise(place)
    return place
