"""The chains at the ends of every path, decided from a sample of packets."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from ibc_module.indexer.columns import PATH, RECEIVING, path_id
from ibc_module.indexer.pairing import Pairing, Seen, pair

SAMPLE = 500  # packets a path and chain that are compared at first


def pair_ends(spark: SparkSession, numbers: DataFrame, paths: DataFrame) -> Pairing:
    """Pairs the ends of all paths that were seen from both sides.

    A path with more than `SAMPLE` packets is sampled by sequence, the same sequences on both sides; where the
    sample decides nothing (the recordings overlap little) all its packets are compared.
    """
    receiving = F.col("kind").isin(*RECEIVING)
    counts = numbers.groupBy("path_id").agg(
        F.count(F.when(receiving, 1)).alias("received"), F.count(F.when(~receiving, 1)).alias("sent")
    )
    two_sided = counts.where("received > 0 and sent > 0").collect()
    if not two_sided:
        return Pairing({}, set())
    back = _back(paths)
    steps = [(row.path_id, max(1, min(row.received, row.sent) // SAMPLE)) for row in two_sided]
    first = pair(_seen(spark, numbers, steps), back)
    again = [(path, 1) for path, step in steps if step > 1 and path in {path for path, _ in first.undecided}]
    if not again:
        return first
    redone = {path for path, _ in again}
    second = pair(_seen(spark, numbers, again), back)
    kept = {end: sender for end, sender in first.senders.items() if end[0] not in redone}
    undecided = {end for end in first.undecided if end[0] not in redone}
    return Pairing(kept | second.senders, undecided | second.undecided)


def _seen(spark: SparkSession, numbers: DataFrame, steps: list[tuple[int, int]]) -> list[Seen]:
    chosen = spark.createDataFrame(steps, "path_id bigint, step bigint")
    sampled = numbers.join(F.broadcast(chosen), "path_id").where(
        F.pmod(F.xxhash64("sequence"), F.col("step")) == 0
    )
    rows = sampled.select(
        "path_id",
        F.col("kind").isin(*RECEIVING).alias("receiving"),
        "chain_id",
        "sequence",
        F.xxhash64("timeout_revision", "timeout_height", "timeout_ns").alias("timeouts"),
        "data_digest",
    )
    return [Seen(*row) for row in rows.distinct().collect()]


def _back(paths: DataFrame) -> dict[int, int]:
    protocol, src_port, src_channel, dst_port, dst_channel = PATH
    turned = path_id((protocol, dst_port, dst_channel, src_port, src_channel))
    return {row.path_id: row.back for row in paths.select("path_id", turned.alias("back")).collect()}
