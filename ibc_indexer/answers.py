"""Answers from the packet table: counts by chain, stuck packets, latencies, volume, relayers, time.

Each is a query over `{packets}`, in the SQL that the engines share; what the other tables answer is in
`table_answers.py`.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from ibc_indexer.engines import Dialect, Engine
from ibc_indexer.table_answers import COUNTED, PERCENTILES, TableAnswers, answer_tables, top

SLOTS = 48  # bars of a timeline
SHOWN_CHAINS = 6  # of a timeline
BINS_A_DECADE = 8  # of the latency histogram
STATES = ("acknowledged", "timed_out", "received", "sent", "unknown", "stuck")
Row = Any  # named fields, as the query names them

_SEEN = "coalesce(send_time, recv_time, write_ack_time, ack_time, timeout_time)"
"""When a packet was first seen anywhere."""
_OLDEST = "min(CASE WHEN in_flight THEN send_time END)"
_KINDS = ("recv", "ack", "timeout")
_CHAIN = "coalesce(src_chain, 'to ' || dst_chain)"
_CHANNEL = ("src_chain", "dst_chain", "protocol", "src_port", "src_channel", "dst_port", "dst_channel")


class Answers(NamedTuple):
    """What the report shows, at most `COUNTED` rows of each. Moments are unix microseconds."""

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
    senders: list[Row]  # chain, in_flight, unknown, stuck, oldest in flight
    tables: TableAnswers


_BY_SIDE = {
    "src_chain": {
        **{name: name for name in ("sent", "acknowledged", "timed_out", "in_flight", "unknown")},
        "error_returned": "error_acks",
    },
    "dst_chain": {"received": "received", "error_written": "error_acks"},
}


def chain_counts(engine: Engine, blocks: Mapping[str, int]) -> dict[str, dict[str, Any]]:
    """For each chain what it said: counts of distinct packets, `blocks` as given.

    `sent`, `acknowledged`, `timed_out`, `in_flight`, `unknown` count packets of which it is the sender,
    `received` those of which it is the receiver, `error_acks` those whose error acknowledgement it wrote or
    got back.
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
    """All lists of the report; `engine` knows the packet table as `packets`."""
    dialect = engine.dialect
    (whole,) = _ask(engine, totals_query(dialect))
    return Answers(
        *_top(engine, channels_query(dialect, micros=True), "src_chain", "src_channel", "dst_channel"),
        *_top(engine, volume_query(dialect), "chain", "denom"),
        *_top(engine, relayers_query(), "relayer"),
        _ask(engine, _stuck_query(dialect)) if whole.stuck else [],
        whole.stuck,
        _ask(engine, _LATENCIES),
        whole,
        _ask(engine, _timeline_query(dialect)),
        _ask(engine, _senders_query(dialect)),
        answer_tables(engine),
    )


def _ask(engine: Engine, query: str) -> list[Row]:
    return engine.rows(query.format(packets="packets"))


def _top(engine: Engine, query: str, *order: str) -> tuple[list[Row], int]:
    """The rows with most packets, and how many there are."""
    return top(engine, query.format(packets="packets"), "packets", *order)


def totals_query(dialect: Dialect) -> str:
    """One row over all packets."""
    flags = ("sent", "received", "acknowledged", "timed_out", "in_flight", "unknown", "stuck")
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
    """A row a channel and direction: how many packets, in which states, latency percentiles in seconds.

    `oldest_in_flight` is when the oldest packet in flight was sent, if asked for in unix microseconds.
    """
    channel = ", ".join(_CHANNEL)
    states = [f"count(CASE WHEN state = '{state}' THEN 1 END) AS {state}" for state in STATES]
    waiting = [_count("in_flight"), f"{dialect.micros(_OLDEST) if micros else _OLDEST} AS oldest_in_flight"]
    columns = ", ".join([channel, "count(*) AS packets", *states, *waiting, *_quantiles(dialect)])
    return f"SELECT {columns} FROM {{packets}} GROUP BY {channel}"


def volume_query(dialect: Dialect) -> str:
    """A row a chain and denom: what was moved.

    `delivered` adds up packets that were received or acknowledged and not answered by an error; `attempted`
    all of them. A sum beyond 38 digits is null.
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
    """A row a relayer: packets it received and brought back (acknowledged or timed out), and its share."""
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


def _stuck_query(dialect: Dialect) -> str:
    times = ", ".join(f"{dialect.micros(name)} AS {name}" for name in ("send_time", "expires_time"))
    channel = ", ".join(_CHANNEL)
    return (
        f"SELECT packet_id, {channel}, sequence, send_height, received, expires_height, denom, amount,\n"
        f"  {times}\n"
        "FROM {packets} WHERE stuck\n"
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
"""How many packets took how long: bins of equal width in the logarithm of seconds."""


def _timeline_query(dialect: Dialect) -> str:
    """Packets by chain, time slot and state; a chain's slots begin at `start`, `width` seconds each."""
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
    """What is under way from every chain."""
    counts = ", ".join(map(_count, ("in_flight", "unknown", "stuck")))
    return (
        f"SELECT src_chain AS chain, {counts}, {dialect.micros(_OLDEST)} AS oldest_in_flight\n"
        "FROM {packets} WHERE src_chain IS NOT NULL GROUP BY src_chain ORDER BY src_chain"
    )


def _count(flag: str) -> str:
    return f"count(CASE WHEN {flag} THEN 1 END) AS {flag}"


def _quantiles(dialect: Dialect) -> list[str]:
    return [f"{dialect.percentiles(f'{kind}_latency_s', PERCENTILES)} AS {kind}_quantiles" for kind in _KINDS]
