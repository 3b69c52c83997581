"""Queries over the packet table: counts by chain, stuck packets, latencies, volume, relayers, timeline.

Each query reads `{packets}` in the SQL that the engines share. Queries over the other tables are in
`table_answers.py`.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from pyibc.indexer.engines import Dialect, Engine
from pyibc.indexer.table_answers import COUNTED, PERCENTILES, TableAnswers, answer_tables, top

SLOTS = 48  # bars of a timeline
SHOWN_CHAINS = 6  # chains in the timeline
BINS_A_DECADE = 8  # bins of the latency histogram per factor of ten
STATES = ("acknowledged", "timed_out", "received", "sent", "unknown", "stuck")
WAITING = ("in_flight", "unknown", "stuck", "ack_overdue")
"""Boolean columns of packets in flight; the later ones are part of the first."""
Row = Any  # a tuple with the query's column names as fields

_SEEN = "coalesce(send_time, recv_time, write_ack_time, ack_time, timeout_time)"
"""SQL expression: time of the first event of a packet on either chain."""
_OLDEST = "min(CASE WHEN in_flight THEN send_time END)"
_KINDS = ("recv", "ack", "timeout")
_CHAIN = "coalesce(src_chain, 'to ' || dst_chain)"
_CHANNEL = ("src_chain", "dst_chain", "protocol", "src_port", "src_channel", "dst_port", "dst_channel")


class Answers(NamedTuple):
    """Query results for the report, at most `COUNTED` rows each. Times are in unix microseconds."""

    channels: list[Row]
    channel_count: int
    denoms: list[Row]
    denom_count: int
    relayers: list[Row]
    relayer_count: int
    stuck: list[Row]
    stuck_count: int
    ack_overdue: list[Row]  # received packets whose acknowledgement is overdue
    ack_overdue_count: int
    latencies: list[Row]  # bin, kind, n
    totals: Row  # all packets: counts, first and last time, latency percentiles
    timeline: list[Row]  # chain, total, start, width, slot, state, n
    senders: list[Row]  # chain, in_flight, unknown, stuck, ack_overdue, oldest_in_flight
    tables: TableAnswers


_BY_SIDE = {
    "src_chain": {
        **{name: name for name in ("sent", "acknowledged", "timed_out", "in_flight", "unknown")},
        "error_returned": "error_acks",
    },
    "dst_chain": {"received": "received", "error_written": "error_acks"},
}


def chain_counts(engine: Engine, blocks: Mapping[str, int]) -> dict[str, dict[str, Any]]:
    """Count the distinct packets of each chain; `blocks` is the number of known blocks by chain.

    `sent`, `acknowledged`, `timed_out`, `in_flight` and `unknown` count the packets that the chain sent,
    `received` those that it received, `error_acks` those whose error acknowledgement it wrote or received.
    """
    flags = [flag for fields in _BY_SIDE.values() for flag in fields]
    zero = dict.fromkeys((field for fields in _BY_SIDE.values() for field in fields.values()), 0)
    counts: dict[str, dict[str, Any]] = {c: {"blocks": n, **zero} for c, n in sorted(blocks.items())}
    sides, sums = ", ".join(_BY_SIDE), ", ".join(_count(flag) for flag in flags)
    for row in engine.rows(f"SELECT {sides}, {sums} FROM packets GROUP BY {sides}"):
        for side, fields in _BY_SIDE.items():
            chain = getattr(row, side)
            if chain in counts:
                for flag, field in fields.items():
                    counts[chain][field] += getattr(row, flag)
    return counts


def answer(engine: Engine) -> Answers:
    """Run all queries of the report; the packet table is registered with `engine` as `packets`."""
    dialect = engine.dialect
    (whole,) = _ask(engine, totals_query(dialect))
    return Answers(
        *_top(engine, channels_query(dialect, micros=True), "src_chain", "src_channel", "dst_channel"),
        *_top(engine, volume_query(dialect), "chain", "denom"),
        *_top(engine, relayers_query(), "relayer"),
        _ask(engine, _waiting_query("stuck", dialect)) if whole.stuck else [],
        whole.stuck,
        _ask(engine, _waiting_query("ack_overdue", dialect)) if whole.ack_overdue else [],
        whole.ack_overdue,
        _ask(engine, _LATENCIES),
        whole,
        _ask(engine, _timeline_query(dialect)),
        _ask(engine, _senders_query(dialect)),
        answer_tables(engine),
    )


def _ask(engine: Engine, query: str) -> list[Row]:
    return engine.rows(query.format(packets="packets"))


def _top(engine: Engine, query: str, *order: str) -> tuple[list[Row], int]:
    """Return the rows with the most packets, and the total number of rows."""
    return top(engine, query.format(packets="packets"), "packets", *order)


def totals_query(dialect: Dialect) -> str:
    """Build the query for the totals over all packets, one row."""
    flags = ("sent", "received", "acknowledged", "timed_out", *WAITING)
    columns = [
        "count(*) AS packets",
        *map(_count, flags),
        "count(CASE WHEN ack = 'error' THEN 1 END) AS error_acks",
        f"{dialect.micros(f'min({_SEEN})')} AS first_seen",
        f"{dialect.micros(f'max({_SEEN})')} AS last_seen",
        *_quantiles(dialect),
    ]
    return f"SELECT {', '.join(columns)} FROM {{packets}}"


def channels_query(dialect: Dialect, *, micros: bool = False) -> str:
    """Build the query for one row per channel and direction: packets by state, latencies in seconds.

    `oldest_in_flight` is the send time of the oldest packet in flight: in unix microseconds with `micros`,
    otherwise a timestamp.
    """
    channel = ", ".join(_CHANNEL)
    states = [f"count(CASE WHEN state = '{state}' THEN 1 END) AS {state}" for state in STATES]
    oldest = dialect.micros(_OLDEST) if micros else _OLDEST
    waiting = [_count("in_flight"), _count("ack_overdue"), f"{oldest} AS oldest_in_flight"]
    columns = ", ".join([channel, "count(*) AS packets", *states, *waiting, *_quantiles(dialect)])
    return f"SELECT {columns} FROM {{packets}} GROUP BY {channel}"


def volume_query(dialect: Dialect) -> str:
    """Build the query for one row per chain and denom: transferred amounts.

    `delivered` sums the packets that were received or acknowledged without an error acknowledgement,
    `attempted` all packets. A sum of more than 38 digits is null.
    """
    amount = "TRY_CAST(amount AS DECIMAL(38,0))"
    delivered = "(received OR acknowledged) AND coalesce(ack, '') <> 'error'"
    moved = f"CASE WHEN {delivered} THEN {amount} ELSE CAST(0 AS DECIMAL(38,0)) END"
    columns = [
        f"{_CHAIN} AS chain",
        "denom",
        "count(*) AS packets",
        f"{dialect.total(moved)} AS delivered",
        f"{dialect.total(amount)} AS attempted",
    ]
    rows = "FROM {packets} WHERE denom IS NOT NULL"
    return f"SELECT {', '.join(columns)} {rows} GROUP BY {_CHAIN}, denom"


def relayers_query() -> str:
    """Build the query for one row per relayer: packets delivered, acknowledged or timed out, and share."""
    return """WITH relayed AS (
  SELECT relayer_recv AS relayer, 1 AS recv, 0 AS back FROM {packets} WHERE relayer_recv IS NOT NULL
  UNION ALL
  SELECT relayer_back AS relayer, 0 AS recv, 1 AS back FROM {packets} WHERE relayer_back IS NOT NULL
), counts AS (
  SELECT relayer, CAST(sum(recv) AS bigint) AS recv, CAST(sum(back) AS bigint) AS back, count(*) AS packets
  FROM relayed GROUP BY relayer
)
SELECT relayer, recv, back, packets, packets / (SELECT CAST(sum(packets) AS double) FROM counts) AS share
FROM counts"""


def _waiting_query(flag: str, dialect: Dialect) -> str:
    """Build the query for the packets with `flag`, the oldest first."""
    names = ("send_time", "recv_time", "expires_time")
    times = ", ".join(f"{dialect.micros(name)} AS {name}" for name in names)
    channel = ", ".join(_CHANNEL)
    return (
        f"SELECT packet_id, {channel}, sequence, send_height, received, expires_height, denom, amount,\n"
        f"  {times}\n"
        f"FROM {{packets}} WHERE {flag}\n"
        "ORDER BY send_time NULLS LAST, src_chain NULLS FIRST, src_channel NULLS FIRST, sequence\n"
        f"LIMIT {COUNTED}"
    )


_LATENCIES = (
    "WITH each AS ("
    + " UNION ALL ".join(
        f"SELECT '{kind}' AS kind, {kind}_latency_s AS seconds FROM {{packets}} WHERE {kind}_latency_s > 0"
        for kind in _KINDS
    )
    + f") SELECT kind, CAST(floor(log10(seconds) * {BINS_A_DECADE}) AS int) AS bin, count(*) AS n"
    " FROM each GROUP BY 1, 2 ORDER BY 1, 2"
)
"""Query for the latency histogram: bins of equal width in the logarithm of seconds."""


def _timeline_query(dialect: Dialect) -> str:
    """Build the query for packets by chain, time slot and state.

    The slots of a chain begin at `start` and are `width` seconds each.
    """
    second = f"CAST(floor({dialect.micros(_SEEN)} / 1e6) AS bigint)"
    placed = f"SELECT {_CHAIN} AS chain, {second} AS seen, state FROM {{packets}} WHERE {_SEEN} IS NOT NULL"
    width = f"CAST(ceil((max(seen) - min(seen) + 1) / {float(SLOTS)}) AS bigint)"
    spans = (
        "SELECT chain, min(seen) AS start, CAST(sum(n) AS bigint) AS total,"
        f" greatest(CAST(1 AS bigint), {width}) AS width\n"
        f"FROM seconds GROUP BY chain ORDER BY total DESC, chain LIMIT {SHOWN_CHAINS}"
    )
    slot = "CAST(floor((seen - start) / CAST(width AS double)) AS int)"
    return (
        f"WITH placed AS ({placed}), seconds AS (SELECT chain, seen, state, count(*) AS n FROM placed"
        f" GROUP BY chain, seen, state), spans AS ({spans})\n"
        f"SELECT spans.chain, total, start, width, {slot} AS slot, state, CAST(sum(n) AS bigint) AS n\n"
        "FROM seconds JOIN spans ON seconds.chain = spans.chain\n"
        "GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY total DESC, 1, 5, 6"
    )


def _senders_query(dialect: Dialect) -> str:
    """Build the query for the packets in flight by sending chain."""
    counts = ", ".join(map(_count, WAITING))
    return (
        f"SELECT src_chain AS chain, {counts}, {dialect.micros(_OLDEST)} AS oldest_in_flight\n"
        "FROM {packets} WHERE src_chain IS NOT NULL GROUP BY src_chain ORDER BY src_chain"
    )


def _count(flag: str) -> str:
    return f"count(CASE WHEN {flag} THEN 1 END) AS {flag}"


def _quantiles(dialect: Dialect) -> list[str]:
    return [f"{dialect.percentiles(f'{kind}_latency_s', PERCENTILES)} AS {kind}_quantiles" for kind in _KINDS]
