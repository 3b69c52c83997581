"""One row a packet: a single aggregation of all its events on a 64-bit key.

The key is a hash of (sending chain, path, sequence). Each event is matched to it without a join of events:
what a sending chain says carries the chain; what a receiving chain says gets it by `ends`. Ends that are not
paired keep rows of their own, whose sending chain is null.
"""

from collections.abc import Iterable
from functools import reduce

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from ibc_indexer.columns import KINDS, RECEIVING
from ibc_indexer.packet_facts import ACK, RECV, SEND, TIMEOUT, WRITE_ACK
from ibc_indexer.pairing import Pairing

_SALT = 0x1BC  # of the second hash, which shows collisions of the first


def aggregate(spark: SparkSession, numbers: DataFrame, pairing: Pairing) -> DataFrame:
    """One row a packet, in numbers.

    Two packets whose keys collide (a chance of one in millions, or an attacker's work) are noticed by a
    second hash; the aggregation is then made on both.
    """
    keyed = _keyed(spark, numbers, pairing)
    packets = keyed.groupBy("key").agg(*_aggregates()).cache()
    if packets.where("check_low != check_high").isEmpty():
        return packets
    packets.unpersist()
    return keyed.groupBy("key", "check").agg(*_aggregates())


def _keyed(spark: SparkSession, numbers: DataFrame, pairing: Pairing) -> DataFrame:
    receiving = F.col("kind").isin(*RECEIVING)
    if pairing.senders:
        known = [(path, receiver, sender) for (path, receiver), sender in pairing.senders.items()]
        senders = spark.createDataFrame(known, "path_id bigint, chain_id bigint, sender_id bigint")
        numbers = numbers.join(F.broadcast(senders), ["path_id", "chain_id"], "left")
    else:
        numbers = numbers.withColumn("sender_id", F.lit(None).cast("bigint"))
    alone = F.xxhash64(F.lit("receiver"), "chain_id")  # no chain's id: its own rows
    owner = F.when(~receiving, F.col("chain_id")).otherwise(F.coalesce("sender_id", alone))
    return numbers.withColumn("owner", owner).select(
        "*",
        F.xxhash64("owner", "path_id", "sequence").alias("key"),
        F.xxhash64(F.lit(_SALT), "sequence", "owner", "path_id").alias("check"),
        receiving.alias("receiving"),
    )


def _aggregates() -> list[Column]:
    receiving = F.col("receiving")
    return [
        F.min("check").alias("check_low"),
        F.max("check").alias("check_high"),
        F.max("path_id").alias("path_id"),
        F.max("sequence").alias("sequence"),
        F.max(F.when(~receiving, F.col("chain_id"))).alias("src_id"),
        F.max("sender_id").alias("sender_id"),
        F.max(F.when(receiving, F.col("chain_id"))).alias("dst_id"),
        *(F.max(c).alias(c) for c in ("timeout_revision", "timeout_height", "timeout_ns")),
        *(aggregate for kind in KINDS for aggregate in _first(kind)),
        _earliest("relayer_id", [RECV]).alias("relayer_recv_id"),
        _earliest("relayer_id", [ACK, TIMEOUT]).alias("relayer_back_id"),
        *(_stated(c).alias(c) for c in ("denom_id", "amount_low", "amount_high", "big_amount_id")),
        F.max(F.when(receiving, F.col("ack"))).alias("ack_written"),
        F.max(F.when(~receiving, F.col("ack"))).alias("ack_returned"),
        F.max("detail_id").alias("detail_id"),
    ]


def _is(kinds: Iterable[str]) -> Column:
    return reduce(lambda one, other: one | other, [F.col("kind") == KINDS.index(kind) for kind in kinds])


def _first(kind: str) -> list[Column]:
    """Height and time at which a kind of event was first seen: a repeated relay changes nothing."""
    return [
        F.min(F.when(_is([kind]), F.col("height"))).alias(f"{kind}_height"),
        F.min(F.when(_is([kind]), F.col("time_ns"))).alias(f"{kind}_ns"),
    ]


def _earliest(column: str, kinds: list[str]) -> Column:
    return F.min_by(column, F.when(_is(kinds), F.col("place")))


def _stated(column: str) -> Column:
    """What the packet's own data states, before what an application said of it later."""
    own = F.max(F.when(_is([SEND, RECV, WRITE_ACK]), F.col(column)))
    return F.coalesce(own, F.max(column))
