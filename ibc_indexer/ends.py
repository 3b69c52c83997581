"""The chains at the ends of every path, decided from a sample of packets."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from ibc_indexer.columns import RECEIVING, Path
from ibc_indexer.pairing import Pairing, Seen, pair

SAMPLE = 500  # packets a path and chain that are compared at first


def pair_ends(spark: SparkSession, numbers: DataFrame, paths: list[Path]) -> Pairing:
    """Pairs the ends of all paths that were seen from both sides.

    A path with more than `SAMPLE` packets is sampled by sequence, the same sequences on both sides; where the
    sample decides nothing (the recordings overlap little) all its packets are compared. A path that names its
    chains is settled by that.
    """
    named = {
        (path.path_id, path.dst_id): path.src_id
        for path in paths
        if path.src_id is not None and path.dst_id is not None
    }
    compared = _compared(spark, numbers, [path for path in paths if path.src_id is None])
    return Pairing(compared.senders | named, compared.undecided)


def _compared(spark: SparkSession, numbers: DataFrame, paths: list[Path]) -> Pairing:
    two_sided = [path for path in paths if path.received and path.sent]
    if not two_sided:
        return Pairing({}, set())
    back = {path.path_id: path.back for path in paths}
    steps = [(path.path_id, max(1, min(path.received, path.sent) // SAMPLE)) for path in two_sided]
    first = pair(_seen(spark, numbers, steps), back)
    open_paths = {path for path, _ in first.undecided}
    again = [(path, 1) for path, step in steps if step > 1 and path in open_paths]
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
