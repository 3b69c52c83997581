"""Answers from the packet table: counts by chain, stuck packets, latencies, volume, relayers, time."""

from typing import NamedTuple

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as F  # noqa: N812

PERCENTILES = (0.5, 0.9, 0.95, 0.99)
ACCURACY = 10_000  # of approximate percentiles: one in so many of the rank
SLOTS = 48  # bars of a timeline
TOP = 50  # rows of a list in the report
COUNTED = 10_000  # rows of which a list is taken; longer lists are counted apart
BINS_A_DECADE = 8  # of the latency histogram
REDUNDANT = 22  # of codespace `channel`: ibc-go's ErrRedundantTx
_TIMES = ("send_time", "recv_time", "expires_time")
STATES = ("acknowledged", "timed_out", "received", "sent", "unknown", "stuck")


class Answers(NamedTuple):
    """What the report shows. Rows are Spark rows, few of each."""

    channels: list[Row]
    channel_count: int
    denoms: list[Row]
    denom_count: int
    relayers: list[Row]
    relayer_count: int
    stuck: list[Row]
    stuck_count: int
    latencies: list[Row]  # bin, kind, n
    totals: Row  # over all packets: counts, first and last time, latency percentiles
    timeline: list[Row]  # chain, total, start, width, slot, state, n


def chain_counts(packets: DataFrame, blocks: dict[str, int]) -> dict[str, dict[str, int]]:
    """For each chain what it said: counts of distinct packets, `blocks` as given.

    `sent`, `acknowledged`, `timed_out`, `in_flight`, `unknown` count packets of which it is the sender,
    `received` those of which it is the receiver, `error_acks` those whose error acknowledgement it wrote or
    got back.
    """
    as_sender = {name: name for name in ("sent", "acknowledged", "timed_out", "in_flight", "unknown")}
    sides = {
        "src_chain": as_sender | {"error_returned": "error_acks"},
        "dst_chain": {"received": "received", "error_written": "error_acks"},
    }
    zero = dict.fromkeys((*as_sender, "received", "error_acks"), 0)
    counts = {chain: {"blocks": number, **zero} for chain, number in sorted(blocks.items())}
    flags = [_count(flag, flag) for fields in sides.values() for flag in fields]
    for row in packets.groupBy(*sides).agg(*flags).collect():
        for side, fields in sides.items():
            if row[side] in counts:  # a chain that another only names has no counts
                for flag, field in fields.items():
                    counts[row[side]][field] += row[flag]
    return counts


def answer(packets: DataFrame) -> Answers:
    """All lists of the report."""
    whole = totals(packets)
    late = packets.where("stuck").orderBy(
        F.asc_nulls_last("send_time"), "src_chain", "src_channel", "sequence"
    )
    times = {column: F.date_format(column, "yyyy-MM-dd HH:mm:ss") for column in _TIMES}
    return Answers(
        *_top(channel_latencies(packets), "src_chain", "src_channel", "dst_channel"),
        *_top(volume(packets), "chain", "denom"),
        *_top(relayer_shares(packets), "relayer"),
        late.limit(TOP).withColumns(times).collect() if whole.stuck else [],
        whole.stuck,
        latency_bins(packets),
        whole,
        timeline(packets),
    )


def _top(found: DataFrame, *order: str) -> tuple[list[Row], int]:
    """The rows with most packets, and how many there are."""
    rows = found.orderBy(F.desc("packets"), *order).limit(COUNTED).collect()
    return rows[:TOP], len(rows) if len(rows) < COUNTED else found.count()


def totals(packets: DataFrame) -> Row:
    """One row over all packets."""
    flags = ("sent", "received", "acknowledged", "timed_out", "in_flight", "unknown", "stuck")
    time = packets_time()
    return packets.agg(
        F.count("*").alias("packets"),
        *(_count(flag, flag) for flag in flags),
        F.count(F.when(F.col("ack") == "error", 1)).alias("error_acks"),
        F.date_format(F.min(time), "yyyy-MM-dd HH:mm").alias("first"),
        F.date_format(F.max(time), "yyyy-MM-dd HH:mm").alias("last"),
        *_quantiles(),
    ).collect()[0]


def packets_time() -> Column:
    """When a packet was first seen anywhere."""
    return F.coalesce("send_time", "recv_time", "write_ack_time", "ack_time", "timeout_time")


def channel_latencies(packets: DataFrame) -> DataFrame:
    """A row a channel and direction: how many packets, in which states, latency percentiles in seconds."""
    channel = ("src_chain", "dst_chain", "protocol", "src_port", "src_channel", "dst_port", "dst_channel")
    states = [F.count(F.when(F.col("state") == state, 1)).alias(state) for state in STATES]
    return packets.groupBy(*channel).agg(F.count("*").alias("packets"), *states, *_quantiles())


def volume(packets: DataFrame) -> DataFrame:
    """A row a chain and denom: what was moved.

    `delivered` adds up packets that were received or acknowledged and not answered by an error; `attempted`
    all of them. A sum beyond 38 digits is null.
    """
    amount = F.expr("try_cast(amount as decimal(38,0))")
    delivered = (F.col("received") | F.col("acknowledged")) & (F.coalesce("ack", F.lit("")) != "error")
    chain = F.coalesce("src_chain", F.concat(F.lit("to "), "dst_chain")).alias("chain")
    return (
        packets.where("denom is not null")
        .groupBy(chain, "denom")
        .agg(
            F.count("*").alias("packets"),
            F.try_sum(F.when(delivered, amount).otherwise(F.lit(0).cast("decimal(38,0)"))).alias("delivered"),
            F.try_sum(amount).alias("attempted"),
        )
    )


def relayer_shares(packets: DataFrame) -> DataFrame:
    """A row a relayer: packets it received and brought back (acknowledged or timed out), and its share."""
    roles = F.array(
        F.struct(F.col("relayer_recv").alias("relayer"), F.lit(1).alias("recv"), F.lit(0).alias("back")),
        F.struct(F.col("relayer_back").alias("relayer"), F.lit(0).alias("recv"), F.lit(1).alias("back")),
    )
    relayed = packets.select(F.explode(roles).alias("r")).select("r.*").where("relayer is not null")
    counts = relayed.groupBy("relayer").agg(F.sum("recv").alias("recv"), F.sum("back").alias("back"))
    total = relayed.agg(F.count("*").alias("total"))
    packets_of = F.col("recv") + F.col("back")
    return counts.crossJoin(F.broadcast(total)).select(
        "relayer", "recv", "back", packets_of.alias("packets"), (packets_of / F.col("total")).alias("share")
    )


def relayer_costs(transactions: DataFrame) -> DataFrame:
    """A row a relayer, chain and coin of the fee, over transactions that carry packets' next steps.

    `failed` were paid for and undone; of those, `failed_redundant` as all in them had been relayed before
    (ibc-go's code 22). `redundant` are messages of successful transactions that did nothing: another
    relayer was first. A fee is paid whether or not the transaction fails; sums beyond 38 digits are null.
    """
    amount = F.expr("try_cast(fee_amount as decimal(38,0))")
    failed = F.col("code") != 0
    known = failed & (F.col("codespace") == "channel") & (F.col("code") == REDUNDANT)
    idle = F.greatest(F.col("relays") - F.col("steps"), F.lit(0))
    return (
        transactions.where("relays > 0 and signer is not null")
        .groupBy(F.col("signer").alias("relayer"), "chain", "fee_denom")
        .agg(
            F.count("*").alias("transactions"),
            F.count(F.when(failed, 1)).alias("failed"),
            F.count(F.when(known, 1)).alias("failed_redundant"),
            F.sum("relays").alias("messages"),
            F.sum(F.when(~failed, idle).otherwise(0)).alias("redundant"),
            F.sum("gas_used").alias("gas_used"),
            F.try_sum(amount).alias("fees"),
            F.try_sum(F.when(failed, amount).otherwise(F.lit(0).cast("decimal(38,0)"))).alias("failed_fees"),
        )
    )


def latency_bins(packets: DataFrame) -> list[Row]:
    """How many packets took how long: bins of equal width in the logarithm of seconds."""
    kinds = [
        F.struct(F.lit(kind).alias("kind"), F.col(f"{kind}_latency_s").alias("seconds"))
        for kind in ("recv", "ack", "timeout")
    ]
    each = packets.select(F.explode(F.array(*kinds)).alias("l")).select("l.*").where("seconds > 0")
    number = F.floor(F.log10("seconds") * BINS_A_DECADE).cast("int").alias("bin")
    return each.groupBy("kind", number).agg(F.count("*").alias("n")).orderBy("kind", "bin").collect()


def timeline(packets: DataFrame, slots: int = SLOTS) -> list[Row]:
    """Packets by chain, time slot and state; a chain's slots begin at `start`, `width` seconds each."""
    time = packets_time()
    chain = F.coalesce("src_chain", F.concat(F.lit("to "), "dst_chain"))
    placed = packets.select(chain.alias("chain"), F.unix_seconds(time).alias("at"), "state").where(
        "at is not null"
    )
    span = placed.groupBy("chain").agg(
        F.min("at").alias("start"), F.max("at").alias("end"), F.count("*").alias("total")
    )
    chosen = span.orderBy(F.desc("total"), "chain").limit(6)
    width = F.greatest(F.lit(1), F.ceil((F.col("end") - F.col("start") + 1) / slots))
    slot = F.floor((F.col("at") - F.col("start")) / F.col("width")).cast("int").alias("slot")
    joined = placed.join(F.broadcast(chosen.withColumn("width", width)), "chain")
    grouped = joined.groupBy("chain", "total", "start", "width", slot, "state").agg(F.count("*").alias("n"))
    return grouped.orderBy(F.desc("total"), "chain", "slot", "state").collect()


def _count(column: str, name: str) -> Column:
    return F.count(F.when(F.col(column), 1)).alias(name)


def _quantiles() -> list[Column]:
    return [
        F.percentile_approx(f"{kind}_latency_s", list(PERCENTILES), ACCURACY).alias(f"{kind}_quantiles")
        for kind in ("recv", "ack", "timeout")
    ]
