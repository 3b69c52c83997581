"""Queries about packets: counts by chain, overdue packets, latencies, volume, relayers, timeline.

What is counted is read from aggregates by hour (`hours.py`), the rest from the table `packets`: percentiles,
packets that wait, and timelines of two days or less. Queries over the other tables are in `table_answers.py`.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from pyibc.indexer.events.packet_facts import QUEUE
from pyibc.indexer.results.hours import CHAIN, HOUR_NS, SEEN, WAITS
from pyibc.indexer.results.table_answers import COUNTED, PERCENTILES, TableAnswers, added, answer_tables, top
from pyibc.indexer.sql import Dialect, SqlEngine

SLOTS = 48  # bars of a timeline
SHOWN_CHAINS = 6  # chains in the timeline
BINS_A_DECADE = 8  # bins of the latency histogram per factor of ten
STATES = ("succeeded", "failed", "acknowledged", "timed_out", "received", "sent", "unknown", "stuck")
"""States of a packet, each packet in one; `acknowledged`: with a result that is not known."""
WAITING = ("in_flight", "unknown", "stuck", "ack_overdue")
"""Boolean columns of packets in flight; the later ones are part of the first."""
Row = Any  # a tuple with the query's column names as fields

_HOUR_S = HOUR_NS // 10**9
CHANNEL = ("src_chain", "dst_chain", "protocol", "src_port", "src_channel", "dst_port", "dst_channel")
CHANNEL_ORDER = ("src_chain", "src_channel", "dst_channel", "dst_chain", "protocol", "src_port", "dst_port")
WAITING_ORDER = "send_time NULLS LAST, src_chain NULLS FIRST, src_channel NULLS FIRST, sequence, packet_id"
"""Order of packets that wait."""
_OVERDUE = ("stuck", "ack_overdue")
_COUNTED = {name: f"state = '{name}'" for name in STATES} | {
    name: name for name in ("in_flight", "ack_overdue")
}
"""Conditions of the counts by channel and by application."""


class Answers(NamedTuple):
    """Query results for the report, at most `COUNTED` rows each. Times are in unix microseconds.

    Columns `recent_...` are of the packets of the window only; without a window there are none. Percentiles
    of channels and applications are those of the window, if there is one.
    """

    channels: list[Row]
    channel_count: int
    applications: list[Row]
    application_count: int
    denoms: list[Row]
    denom_count: int
    relayers: list[Row]
    relayer_count: int
    stuck: list[Row]
    stuck_count: int
    ack_overdue: list[Row]  # received packets whose acknowledgement is overdue
    ack_overdue_count: int
    waiting: list[Row]  # channels with stuck packets or overdue acknowledgements
    waiting_value: list[Row]  # the same by denom
    latencies: list[Row]  # bin, kind, n
    totals: Row  # all packets: counts, first and last time, latency percentiles
    timeline: list[Row]  # chain, total, start, width, slot, state, n
    senders: list[Row]  # chain, in_flight, unknown, stuck, ack_overdue, oldest_in_flight
    tables: TableAnswers
    since: int | None = None  # first moment of the window; None: everything
    end: int | None = None  # of the data; None: not known


_BY_SIDE = {
    "src_chain": {
        **{name: name for name in ("sent", "acknowledged", "timed_out", "in_flight", "unknown")},
        **{name: f"state = '{name}'" for name in ("succeeded", "failed")},
    },
    "dst_chain": {"received": "received", "refused": "error_written"},
}


def chain_counts(engine: SqlEngine, blocks: Mapping[str, int]) -> dict[str, dict[str, Any]]:
    """Count the packets of each chain; `blocks` is the number of known blocks by chain.

    As sender: `sent`, `acknowledged` (of these `succeeded` and `failed`), `timed_out`, `in_flight` (of these
    `unknown`). As receiver: `received` (of these `refused`, with an error acknowledgement).
    """
    flags = {name: condition for fields in _BY_SIDE.values() for name, condition in fields.items()}
    zero = dict.fromkeys(flags, 0)
    counts: dict[str, dict[str, Any]] = {c: {"blocks": n, **zero} for c, n in sorted(blocks.items())}
    sides = ", ".join(_BY_SIDE)
    sums = ", ".join(_count(name, condition) for name, condition in flags.items())
    for row in engine.rows(f"SELECT {sides}, {sums} FROM packets_by_hour GROUP BY {sides}"):
        for side, fields in _BY_SIDE.items():
            chain = getattr(row, side)
            if chain in counts:
                for name in fields:
                    counts[chain][name] += getattr(row, name)
    return counts


def answer(engine: SqlEngine, since: int | None = None, end: int | None = None) -> Answers:
    """Run all queries of the report; the tables and aggregates are registered with `engine`.

    Args:
        engine: runs the queries.
        since: first moment of the window, in unix microseconds, as in the aggregates; None: everything.
        end: end of the data, likewise; None: not known. The timeline has no packets of later hours.
    """
    dialect = engine.dialect
    (whole,) = engine.rows(totals_query(dialect, since))
    if since is not None and (whole.first_seen is None or since <= whole.first_seen):
        since = None  # the window has everything
    waiting = whole.stuck or whole.ack_overdue
    is_part = since is not None
    return Answers(
        *top(engine, channels_query(dialect, since, micros=True), "packets", *CHANNEL_ORDER),
        *top(engine, applications_query(dialect, since), "packets", "application"),
        *top(engine, volume_query(dialect, is_part), "packets", "chain", "denom"),
        *top(engine, relayers_query(is_part), "packets", "relayer"),
        engine.rows(_waiting_query("stuck", dialect)) if whole.stuck else [],
        whole.stuck,
        engine.rows(_waiting_query("ack_overdue", dialect)) if whole.ack_overdue else [],
        whole.ack_overdue,
        engine.rows(_waiting_channels_query(dialect)) if waiting else [],
        engine.rows(_waiting_value_query(dialect)) if waiting else [],
        engine.rows(_latencies_query(_recent(dialect, since))),
        whole,
        _timeline(engine, whole, since, end),
        engine.rows(_SENDERS),
        answer_tables(engine, is_part),
        since,
        end,
    )


def _recent(dialect: Dialect, since: int | None) -> str | None:
    """Build the condition that a packet is of the window; None without a window."""
    return None if since is None else f"{dialect.micros(SEEN)} >= {since}"


def totals_query(dialect: Dialect, since: int | None = None) -> str:
    """Build the query for the totals over all packets, one row."""
    flags = ("sent", "received", "acknowledged", *WAITING)
    counted = {name: name for name in flags} | {
        name: f"state = '{name}'" for name in STATES[:4] if name not in flags
    }
    columns = [
        *_counts(counted, since is not None),
        "min(first_us) AS first_seen",
        "max(last_us) AS last_seen",
    ]
    query = f"SELECT {', '.join(columns)} FROM packets_by_hour"
    if since is not None:
        query = _with_quantiles(dialect, query, {}, None)
    return _with_quantiles(dialect, query, {}, since)


def channels_query(dialect: Dialect, since: int | None = None, *, micros: bool = False) -> str:
    """Build the query for one row per channel and direction: packets by state, latencies in seconds.

    `oldest_in_flight` is the send time of the oldest packet in flight: in unix microseconds with `micros`,
    otherwise a timestamp.
    """
    channel = ", ".join(CHANNEL)
    oldest = f"{_OLDEST if micros else dialect.time(f'({_OLDEST} * 1000)')} AS oldest_in_flight"
    columns = ", ".join([channel, *_counts(_COUNTED, since is not None), oldest])
    counted = f"SELECT {columns} FROM packets_by_hour GROUP BY {channel}"
    return _with_quantiles(dialect, counted, {name: name for name in CHANNEL}, since)


_OLDEST = "min(CASE WHEN in_flight THEN send_us END)"
_PORT = "coalesce(src_port, dst_port)"
APPLICATION = (
    f"CASE WHEN protocol = {QUEUE} THEN 'queue'"
    f" WHEN {_PORT} LIKE 'icacontroller-%' OR {_PORT} = 'icahost' THEN 'interchain-accounts'"
    f" WHEN {_PORT} = 'gmpport' THEN 'gmp' WHEN {_PORT} LIKE 'wasm.%' THEN 'wasm' ELSE {_PORT} END"
)
"""SQL expression: the application of a packet by its port; other ports are their own names."""


def applications_query(dialect: Dialect, since: int | None = None) -> str:
    """Build the query for one row per application: packets by state, latencies in seconds."""
    counts = ", ".join(_counts(_COUNTED, since is not None))
    counted = f"SELECT {APPLICATION} AS application, {counts} FROM packets_by_hour GROUP BY {APPLICATION}"
    return _with_quantiles(dialect, counted, {"application": APPLICATION}, since)


def volume_query(dialect: Dialect, is_part: bool = False) -> str:
    """Build the query for one row per chain and denom: transferred amounts, also of a window if it `is_part`.

    `delivered` sums the packets with a successful acknowledgement, `attempted` all packets. A sum of more
    than 38 digits is null.
    """
    columns = [
        "chain",
        "denom",
        *_counts({}, is_part),
        f"{dialect.total('amount', 'delivered')} AS delivered",
        f"{dialect.total('amount')} AS attempted",
    ]
    if is_part:
        columns.append(f"{dialect.total('amount', 'recent AND delivered')} AS recent_delivered")
    return f"SELECT {', '.join(columns)} FROM coins_by_hour GROUP BY chain, denom"


def relayers_query(is_part: bool = False) -> str:
    """Build the query for one row per relayer: packets delivered, acknowledged or timed out, and share.

    Of the packets in `back`, `succeeded`, `failed` and `timed_out` are in these states.
    """
    steps = {"recv": "event = 'recv_packet'", "back": "event <> 'recv_packet'"}
    steps |= {name: f"state = '{name}'" for name in ("succeeded", "failed", "timed_out")}
    counted = ", ".join(_counts(steps, is_part))
    return (
        f"WITH counts AS (SELECT relayer, {counted} FROM relayed_by_hour\n"
        "  WHERE relayer IS NOT NULL GROUP BY relayer)\n"
        "SELECT *, packets / (SELECT CAST(sum(packets) AS double) FROM counts) AS share FROM counts"
    )


def _waiting_query(flag: str, dialect: Dialect) -> str:
    """Build the query for the packets with `flag`, the oldest first."""
    names = ("send_time", "recv_time", "expires_time")
    times = ", ".join(f"{dialect.micros(name)} AS {name}" for name in names)
    channel = ", ".join(CHANNEL)
    return (
        f"SELECT packet_id, {channel}, sequence, send_height, received, expires_height, denom, amount,\n"
        f"  {times}\n"
        f"FROM packets WHERE in_flight AND {flag}\n"
        f"ORDER BY {WAITING_ORDER}\n"
        f"LIMIT {COUNTED}"
    )


def _waiting_channels_query(dialect: Dialect) -> str:
    """Build the query for the channels with overdue packets, with the last relayer of any packet.

    `last_relayed` is a moment in unix microseconds with 20 digits, a space, and the relayer if it is known.
    """
    channel = ", ".join(CHANNEL)
    same = " AND ".join(f"waits.{name} IS NOT DISTINCT FROM relayed.{name}" for name in CHANNEL)
    columns = [
        channel,
        *(f"count(CASE WHEN {flag} THEN 1 END) AS {flag}" for flag in _OVERDUE),
        f"{dialect.micros('min(CASE WHEN stuck THEN send_time END)')} AS stuck_since",
        f"{dialect.micros('min(CASE WHEN ack_overdue THEN recv_time END)')} AS ack_overdue_since",
    ]
    ends = ", ".join(f"waits.{name} NULLS FIRST" for name in CHANNEL)
    last = "lpad(CAST(last_us AS string), 20, '0') || ' ' || coalesce(relayer, '')"
    return (
        f"WITH waits AS (SELECT {', '.join(columns)} FROM packets\n"
        f"  WHERE in_flight AND (stuck OR ack_overdue) GROUP BY {channel}),\n"
        f"relayed AS (SELECT {channel}, max({last}) AS last_relayed FROM relayed_by_hour\n"
        f"  GROUP BY {channel})\n"
        f"SELECT waits.*, last_relayed FROM waits LEFT JOIN relayed ON {same}\n"
        f"ORDER BY stuck DESC, ack_overdue DESC, {ends} LIMIT {COUNTED}"
    )


def _waiting_value_query(dialect: Dialect) -> str:
    """Build the query for the amounts of overdue packets by channel and denom."""
    numbers = (f"count(CASE WHEN {flag} THEN 1 END) AS {flag}" for flag in _OVERDUE)
    sums = (f"{dialect.total('amount', flag)} AS {flag}_amount" for flag in _OVERDUE)
    channel = ", ".join(CHANNEL)
    order = ", ".join(f"{name} NULLS FIRST" for name in (*CHANNEL, "denom"))
    return (
        f"SELECT {channel}, denom, {', '.join(numbers)}, {', '.join(sums)}\n"
        "FROM packets WHERE in_flight AND (stuck OR ack_overdue) AND denom IS NOT NULL\n"
        f"GROUP BY {channel}, denom ORDER BY stuck DESC, ack_overdue DESC, {order} LIMIT {COUNTED}"
    )


def _latencies_query(recent: str | None) -> str:
    """Build the query for the latency histogram: bins of equal width in the logarithm of seconds."""
    each = " UNION ALL ".join(
        f"SELECT '{kind}' AS kind, {kind}_latency_s AS seconds, {recent or 'TRUE'} AS recent\n"
        f"  FROM packets WHERE {kind}_latency_s > 0"
        for kind in WAITS
    )
    return (
        f"WITH each AS ({each})\nSELECT kind, CAST(floor(log10(seconds) * {BINS_A_DECADE}) AS int) AS bin,"
        " count(*) AS n, count(CASE WHEN recent THEN 1 END) AS recent\nFROM each GROUP BY 1, 2 ORDER BY 1, 2"
    )


def _timeline(engine: SqlEngine, whole: Row, since: int | None, last: int | None) -> list[Row]:
    """Count packets by chain, time slot and state; all chains have the same slots.

    The slots begin at `start` and are `width` seconds each. If these are whole hours, the hours of the first
    and of the last moment are counted whole.
    """
    if whole.first_seen is None:
        return []
    dialect = engine.dialect
    last = whole.last_seen if last is None else min(last, whole.last_seen)
    first = whole.first_seen if since is None else since
    start, end = first // 10**6, last // 10**6
    width = max(1, -(-(end - start + 1) // SLOTS))
    if width < _HOUR_S:
        seen = f"CAST(floor({dialect.micros(SEEN)} / 1e6) AS bigint)"
        within = f"{dialect.micros(SEEN)} >= {first} AND {dialect.micros(SEEN)} <= {last}"
        placed = f"SELECT {CHAIN} AS chain, {seen} AS seen, state, 1 AS n FROM packets WHERE {within}"
    else:
        start -= start % _HOUR_S
        hours = -(-(end - start + 1) // _HOUR_S)
        width = -(-hours // SLOTS) * _HOUR_S
        seen = "CAST(floor(first_us / 1e6) AS bigint)"
        placed = (
            f"SELECT {CHAIN} AS chain, {seen} AS seen, state, n FROM packets_by_hour"
            f" WHERE first_us >= {start * 10**6} AND first_us <= {last}"
        )
    slot = f"CAST(floor((seen - {start}) / CAST({width} AS double)) AS int)"
    return engine.rows(
        f"WITH placed AS ({placed}),\n"
        f"slots AS (SELECT chain, {slot} AS slot, state, CAST(sum(n) AS bigint) AS n FROM placed\n"
        "  GROUP BY 1, 2, 3),\n"
        "busiest AS (SELECT chain, CAST(sum(n) AS bigint) AS total FROM slots GROUP BY chain\n"
        f"  ORDER BY total DESC, chain LIMIT {SHOWN_CHAINS})\n"
        f"SELECT slots.chain, total, CAST({start} AS bigint) AS start, CAST({width} AS bigint) AS width,"
        " slot, state, n\nFROM slots JOIN busiest ON slots.chain = busiest.chain"
        " ORDER BY total DESC, 1, slot, state"
    )


def _count(name: str, condition: str = "") -> str:
    return f"{added('n', condition or name)} AS {name}"


def _counts(conditions: Mapping[str, str], is_part: bool) -> list[str]:
    """Aggregate to the number of packets and the numbers under `conditions`, also of the window."""
    columns = [_count("packets", "TRUE"), *(_count(*each) for each in conditions.items())]
    if is_part:
        columns.append(_count("recent_packets", "recent"))
        columns += [_count(f"recent_{name}", f"recent AND ({what})") for name, what in conditions.items()]
    return columns


_SENDERS = (
    f"SELECT src_chain AS chain, {', '.join(map(_count, WAITING))}, {_OLDEST} AS oldest_in_flight\n"
    "FROM packets_by_hour WHERE src_chain IS NOT NULL GROUP BY src_chain ORDER BY src_chain"
)
"""Query for the packets in flight by sending chain."""


def _with_quantiles(dialect: Dialect, counted: str, keys: Mapping[str, str], since: int | None) -> str:
    """Add percentiles of latencies to the rows of `counted`, by their `keys`: those of the window, if any.

    They cannot be added up from aggregates.
    """
    recent, name = _recent(dialect, since), "{}_quantiles" if since is None else "recent_{}_quantiles"
    columns = {name.format(kind): dialect.percentiles(f"{kind}_latency_s", PERCENTILES) for kind in WAITS}
    listed = ", ".join(f"{what} AS {name}" for name, what in (dict(keys) | columns).items())
    groups = f" GROUP BY {', '.join(keys.values())}" if keys else ""
    same = " AND ".join(f"counted.{name} IS NOT DISTINCT FROM waits.{name}" for name in keys) or "TRUE"
    return (
        f"SELECT counted.*, {', '.join(columns)}\nFROM ({counted}) AS counted\n"
        f"LEFT JOIN (SELECT {listed} FROM packets WHERE {recent or 'TRUE'}{groups}) AS waits ON {same}"
    )
