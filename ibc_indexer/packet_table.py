"""The packet table: the aggregated numbers with their names, states and latencies."""

from typing import NamedTuple

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from ibc_indexer.columns import ACK_STATES, LIMB, PATH_DDL, Path
from ibc_indexer.packet_facts import ACK, QUEUE, RECV, SEND, TIMEOUT, WRITE_ACK
from ibc_indexer.pairing import Pairing

STUCK_AFTER_S = 3600  # a packet that is silent for an hour
STUCK_AFTER_BLOCKS = 600  # the same where no times are known: an hour of six-second blocks


class Tip(NamedTuple):
    """The last block seen of a chain."""

    chain: str
    height: int
    time_ns: int | None


def packet_table(
    spark: SparkSession,
    packets: DataFrame,
    tips: list[Tip],
    names: DataFrame,
    paths: list[Path],
    pairing: Pairing,
    claims: DataFrame,
) -> DataFrame:
    """One row a packet, for people.

    `claims` names chains at ends of which no packet was seen (`names/ends.py`): nothing is judged by them.

    `sent`, `acknowledged`, `timed_out` are what the sending chain said, `received` what the receiving one
    did. `stuck`: sent, neither acknowledged nor timed out, and either its timeout has passed at the last
    block seen (of the receiving chain; of the sending one's clock where the other is not known), or nothing
    was heard of it for `STUCK_AFTER_S` before the last block of the sending chain.
    """
    ends = _with_ends(spark, packets, tips, pairing)
    ways = spark.createDataFrame(paths, PATH_DDL).drop("back", "src_id", "dst_id", "received", "sent")
    ends = _with_claims(ends, claims)
    named = _with_names(ends.join(F.broadcast(ways), "path_id", "left"), names)
    return named.select(
        *_identity(), *_states(), *_moments(), *_latencies(), *_people(), *_transfer(), *_evidence()
    )


def _with_ends(spark: SparkSession, packets: DataFrame, tips: list[Tip], pairing: Pairing) -> DataFrame:
    chains = spark.createDataFrame(tips, "chain string, tip_height bigint, tip_ns bigint")
    chains = chains.withColumn("id", F.xxhash64("chain"))
    other = spark.createDataFrame(
        [(path, sender, receiver) for (path, receiver), sender in pairing.senders.items()],
        "path_id bigint, src_end bigint, receiver_id bigint",
    )
    # A packet not yet received still goes to the chain at the other end of its channel.
    packets = packets.withColumn("src_end", F.coalesce("src_id", "sender_id"))
    packets = packets.join(F.broadcast(other), ["path_id", "src_end"], "left")
    for end, column in (("src", "src_end"), ("dst", "dst_end")):
        packets = packets.withColumn("dst_end", F.coalesce("dst_id", "receiver_id"))
        tip = chains.select(
            F.col("id").alias(column),
            F.col("chain").alias(f"{end}_chain"),
            F.col("tip_height").alias(f"{end}_tip"),
            F.col("tip_ns").alias(f"{end}_tip_ns"),
        )
        packets = packets.join(F.broadcast(tip), column, "left")
    return packets


def _with_claims(packets: DataFrame, claims: DataFrame) -> DataFrame:
    """The other end's chain as the sender's facts name it, and as the receiver's do."""
    for end, other in (("src", "dst"), ("dst", "src")):
        one = claims.where(F.col("receiving") if end == "dst" else ~F.col("receiving")).select(
            "path_id",
            F.col("end_id").alias(f"{end}_end"),
            F.col("named_chain").alias(f"{other}_named"),
            F.col("named_by").alias(f"{other}_named_by"),
        )
        packets = packets.join(F.broadcast(one), ["path_id", f"{end}_end"], "left")
    return packets


def _with_names(packets: DataFrame, names: DataFrame) -> DataFrame:
    for column in ("relayer_recv", "relayer_back", "denom", "detail", "big_amount"):
        one = names.select(F.col("id").alias(f"{column}_id"), F.col("name").alias(column))
        packets = packets.join(F.broadcast(one), f"{column}_id", "left")
    return packets


def _identity() -> list[Column]:
    columns = "protocol src_port src_channel dst_port dst_channel sequence"
    chains = [F.coalesce(f"{end}_chain", f"{end}_named").alias(f"{end}_chain") for end in ("src", "dst")]
    return [*chains, *(F.col(column) for column in columns.split())]


def _evidence() -> list[Column]:
    """What the name of each chain is founded on: events of the chain or packets of both, or a claim."""
    return [
        F.when(F.col(f"{end}_chain").isNotNull(), "packets")
        .otherwise(F.when(F.col(f"{end}_named").isNotNull(), F.col(f"{end}_named_by")))
        .alias(f"{end}_known_by")
        for end in ("src", "dst")
    ]


def _states() -> list[Column]:
    stuck = _in_flight() & F.coalesce(_expired() | _silent(), F.lit(False))
    state = (
        F.when(_seen(TIMEOUT), "timed_out")
        .when(_seen(ACK), "acknowledged")
        .when(stuck, "stuck")
        .when(_received(), "received")
        .otherwise("sent")
    )
    return [
        state.alias("state"),
        _seen(SEND).alias("sent"),
        _received().alias("received"),
        _seen(ACK).alias("acknowledged"),
        _seen(TIMEOUT).alias("timed_out"),
        _in_flight().alias("in_flight"),
        stuck.alias("stuck"),
        _ack_state(F.greatest("ack_written", "ack_returned")).alias("ack"),
        F.coalesce(F.col("ack_written") == 3, F.lit(False)).alias("error_written"),
        F.coalesce(F.col("ack_returned") == 3, F.lit(False)).alias("error_returned"),
        F.col("detail").alias("ack_error"),
    ]


def _seen(kind: str) -> Column:
    return F.col(f"{kind}_height").isNotNull()


def _received() -> Column:
    return _seen(RECV) | _seen(WRITE_ACK)


def _in_flight() -> Column:
    return _seen(SEND) & ~_seen(ACK) & ~_seen(TIMEOUT)


def _expired() -> Column:
    """Its timeout has passed where the packet would be received, as far as is known.

    A channel's packet is too late at its timeout, a queue's after it.
    """
    grace = F.when(F.col("protocol") == QUEUE, 1).otherwise(0)
    clock = F.coalesce("dst_tip_ns", "src_tip_ns")
    by_time = F.coalesce((F.col("timeout_ns") > 0) & (F.col("timeout_ns") <= clock - grace), F.lit(False))
    digits = F.regexp_extract("dst_chain", r"-([1-9][0-9]{0,17})\z", 1)
    revision = F.when(digits == "", F.lit(0)).otherwise(digits.cast("bigint"))
    reached = (revision > F.col("timeout_revision")) | (
        (revision == F.col("timeout_revision")) & (F.col("dst_tip") - grace >= F.col("timeout_height"))
    )
    by_height = F.coalesce(_has_height() & reached, F.lit(False))
    return by_time | by_height


def _has_height() -> Column:
    """Height 0 of a revision is a timeout, too."""
    return (F.col("timeout_height") > 0) | (F.col("timeout_revision") > 0)


def _silent() -> Column:
    """Nothing was heard of it for a long time."""
    heard = F.greatest(*(f"{kind}_ns" for kind in (SEND, RECV, WRITE_ACK)))
    by_time = F.col("src_tip_ns") - heard > STUCK_AFTER_S * 10**9
    by_height = F.col("src_tip") - F.col(f"{SEND}_height") > STUCK_AFTER_BLOCKS
    return F.when(heard.isNotNull(), by_time).otherwise(by_height)


def _ack_state(number: Column) -> Column:
    name = F.lit(None).cast("string")
    for place, state in enumerate(ACK_STATES, 1):
        name = F.when(number == place, state).otherwise(name)
    return name


def _moments() -> list[Column]:
    names = {SEND: "send", RECV: "recv", WRITE_ACK: "write_ack", ACK: "ack", TIMEOUT: "timeout"}
    seen = [
        column
        for kind, name in names.items()
        for column in (
            F.col(f"{kind}_height").alias(f"{name}_height"),
            _time(f"{kind}_ns").alias(f"{name}_time"),
        )
    ]
    limit = F.concat_ws("-", "timeout_revision", "timeout_height")
    return [
        *seen,
        F.when(_has_height(), limit).alias("expires_height"),
        F.when(F.col("timeout_ns") > 0, _time("timeout_ns")).alias("expires_time"),
    ]


def _time(nanoseconds: str) -> Column:
    return F.timestamp_micros(F.expr(f"`{nanoseconds}` div 1000"))


def _latencies() -> list[Column]:
    return [
        ((F.col(f"{kind}_ns") - F.col(f"{SEND}_ns")) / 1e9).alias(name)
        for kind, name in ((RECV, "recv_latency_s"), (ACK, "ack_latency_s"), (TIMEOUT, "timeout_latency_s"))
    ]


def _people() -> list[Column]:
    return [F.col("relayer_recv"), F.col("relayer_back")]


def _transfer() -> list[Column]:
    digits = F.concat(
        F.col("amount_high").cast("string"), F.lpad(F.col("amount_low").cast("string"), LIMB, "0")
    )
    trimmed = F.regexp_replace(digits, r"\A0+(?=[0-9])", "")
    return [F.col("denom"), F.coalesce("big_amount", trimmed).alias("amount")]
