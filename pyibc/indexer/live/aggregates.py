"""Queries for the metrics: packets by event, state and latency, per channel, chain, relayer and hop.

Packets that are alike in all of these are one row, with their number `n`: grouping by a few columns is faster
than a column for each metric. Any user can open channels and relay packets, so all but the channels and
relayers with the most packets are rows with `rest`.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pyibc.indexer.chains.progress import Tip
from pyibc.indexer.events.packet_facts import V2
from pyibc.indexer.sql import Dialect, SqlEngine, columns_of

LISTED = 100  # channels, relayers with rows of their own
HOPS = 8  # hops with rows of their own
ABANDONED_AFTER_S = 7 * 86_400
"""Age at which a packet that is stuck, or whose acknowledgement is overdue, is abandoned.

The age is the time from its send to the last block of its sending chain."""
BOUNDS_S = (1, 5, 10, 15, 20, 30, 45, 60, 120, 300, 600, 1_800, 3_600, 21_600, 86_400)
"""Upper bounds of the latency buckets in seconds; one more bucket is above the last."""
PENDING = ("sent", "received", "ack_overdue", "ack_abandoned", "stuck", "abandoned", "unknown")
"""States of packets in flight; each packet is in one."""
STATES = (*PENDING, "succeeded", "failed", "acknowledged", "timed_out", "receive_only")
"""States of all packets. `acknowledged`: it is not known whether the acknowledgement is an error."""
CHANNEL = ("src_chain", "src_port", "src_channel", "dst_chain", "dst_port", "dst_channel")
Row = Any  # a tuple with the query's column names as fields


class Event(NamedTuple):
    """Packet event, with the result of an acknowledgement."""

    name: str
    result: str = ""  # success, error or unknown


RESULTS = ("success", "error", "unknown")
SENT, RECEIVED, TIMED_OUT = Event("send_packet"), Event("recv_packet"), Event("timeout_packet")
WRITTEN = tuple(Event("write_acknowledgement", result) for result in RESULTS)
ACKNOWLEDGED = tuple(Event("acknowledge_packet", result) for result in RESULTS)
SENDING = (SENT, *ACKNOWLEDGED, TIMED_OUT)
RECEIVING = (RECEIVED, *WRITTEN)
RELAYED = (RECEIVED, *ACKNOWLEDGED, TIMED_OUT)
"""Events that a relayer causes."""
LATENCIES = {RECEIVED: "recv", **dict.fromkeys(ACKNOWLEDGED, "ack"), TIMED_OUT: "timeout"}
"""Events whose latency since the send is measured, with the prefix of the latency's columns."""
STEPS = ("received", "delivered", "refunded")
"""Steps of a transfer whose latency since the send is measured."""
_WAITS = ("recv", "ack", "timeout")
_FLAGS = ("sent", "received", "written", "acknowledged", "timed_out", "result", "state")
_PLACES = tuple(f"{name}_place" for name in _WAITS)  # buckets of latencies; null: no latency
_SUMS = ("n", *(f"{name}_s" for name in _WAITS))
_RESULT = (
    f"CASE WHEN ack = 'error' THEN 'error' WHEN ack = 'success' OR (ack = 'opaque' AND protocol = {V2})"
    " THEN 'success' ELSE 'unknown' END"
)
"""SQL expression: result of an acknowledgement. Opaque bytes are a success in IBC v2 (`states`)."""
_TIPS = columns_of("chain string, tip_us bigint")


class LiveAnswers(NamedTuple):
    """Query results; each row has the number `n` of its packets or transfers."""

    channels: list[Row]  # `CHANNEL`, rest, `_FLAGS`, `_PLACES`, `_SUMS`, oldest_us
    chains: list[Row]  # src_chain, dst_chain (null: not in the inputs), `_FLAGS`, n, oldest_us
    relayers: list[Row]  # relayer, rest, event, result, n
    hops: list[Row]  # hop (0: above `HOPS`), step, place (bucket), n, seconds


def live_answers(engine: SqlEngine, tips: Mapping[str, Tip], listed: int = LISTED) -> LiveAnswers:
    """Run the queries; `packets` and `transfers` are registered with `engine`, `tips` are the last blocks."""
    clocks = [(chain, None if tip.time_ns is None else tip.time_ns // 1000) for chain, tip in tips.items()]
    engine.table("live_tips", _TIPS, clocks)
    classified = _classified(engine.dialect)
    queries = (
        _channels_query(classified, listed),
        _chains_query(classified),
        _relayers_query(listed),
        _hops_query(engine.dialect),
    )
    return LiveAnswers(*map(engine.rows, queries))


def events_of(row: Row) -> Iterator[Event]:
    """Yield the events of the packets of a row."""
    if row.sent:
        yield SENT
    if row.received:
        yield RECEIVED
    if row.written:
        yield Event("write_acknowledgement", row.result)
    if row.acknowledged:
        yield Event("acknowledge_packet", row.result)
    if row.timed_out:
        yield TIMED_OUT


def _classified(dialect: Dialect) -> str:
    """Select the packets with the state, the result of the acknowledgement, and the buckets of latencies."""
    sent_us = dialect.micros("send_time")
    old = f"coalesce({sent_us} < src.tip_us - {ABANDONED_AFTER_S * 10**6}, FALSE)"
    pending = (
        "CASE WHEN unknown THEN 'unknown'"
        f" WHEN ack_overdue THEN CASE WHEN {old} THEN 'ack_abandoned' ELSE 'ack_overdue' END"
        f" WHEN stuck THEN CASE WHEN {old} THEN 'abandoned' ELSE 'stuck' END"
        " WHEN state = 'received' THEN 'received' ELSE 'sent' END"
    )
    ended = (
        "CASE WHEN timed_out THEN 'timed_out' WHEN acknowledged THEN packets.state ELSE 'receive_only' END"
    )
    columns = [
        *CHANNEL,
        *("sent", "received", "acknowledged", "timed_out"),
        "src.chain AS known_src",
        "dst.chain AS known_dst",
        "write_ack_height IS NOT NULL AS written",
        f"{_RESULT} AS result",
        f"CASE WHEN in_flight THEN {pending} ELSE {ended} END AS state",
        f"{sent_us} AS sent_us",
        *(f"{_exact(f'{name}_latency_s')} AS {name}_s" for name in _WAITS),
        *(f"{_place(f'{name}_latency_s')} AS {name}_place" for name in _WAITS),
    ]
    return (
        f"SELECT {', '.join(columns)}\nFROM packets\n"
        "LEFT JOIN live_tips AS src ON packets.src_chain = src.chain\n"
        "LEFT JOIN live_tips AS dst ON packets.dst_chain = dst.chain"
    )


def _exact(wait: str) -> str:
    """Convert a latency to a decimal, whose sum does not depend on the order; the clocks of chains differ."""
    return f"CAST(greatest({wait}, 0) AS DECIMAL(20,6))"


def _place(wait: str) -> str:
    """Build the expression for the number of the bucket of `wait`; null for null."""
    cases = " ".join(f"WHEN {wait} <= {bound} THEN {place}" for place, bound in enumerate(BOUNDS_S))
    return f"CASE {cases} WHEN {wait} IS NOT NULL THEN {len(BOUNDS_S)} END"


def _channels_query(classified: str, listed: int) -> str:
    alike = ", ".join((*CHANNEL, *_FLAGS, *_PLACES))
    sums = ", ".join(f"sum({name}_s) AS {name}_s" for name in _WAITS)
    counted = (
        f"SELECT {alike}, count(*) AS n, {sums}, min(sent_us) AS oldest_us\n"
        f"FROM ({classified}) AS classified GROUP BY {alike}"
    )
    again = {name: f"sum({name})" for name in _SUMS} | {"oldest_us": "min(oldest_us)"}
    return _top(counted, CHANNEL, (*_FLAGS, *_PLACES), again, listed)


def _chains_query(classified: str) -> str:
    """Build the query for rows by pair of chains; chains in the inputs have a row without packets, too."""
    flags = ", ".join(_FLAGS)
    pair = "known_src AS src_chain, known_dst AS dst_chain"
    return (
        f"SELECT {pair}, {flags}, count(*) AS n, min(sent_us) AS oldest_us\n"
        f"FROM ({classified}) AS classified GROUP BY known_src, known_dst, {flags}\n"
        f"UNION ALL SELECT chain, chain{', NULL' * len(_FLAGS)}, 0, NULL FROM live_tips"
    )


def _relayers_query(listed: int) -> str:
    brought = "CASE WHEN acknowledged THEN 'acknowledge_packet' ELSE 'timeout_packet' END"
    result = f"CASE WHEN acknowledged THEN {_RESULT} ELSE '' END"
    relayed = (
        "SELECT relayer_recv AS relayer, 'recv_packet' AS event, '' AS result\n"
        "FROM packets WHERE relayer_recv IS NOT NULL\n"
        f"UNION ALL SELECT relayer_back AS relayer, {brought} AS event, {result} AS result\n"
        "FROM packets WHERE relayer_back IS NOT NULL"
    )
    counted = (
        f"SELECT relayer, event, result, count(*) AS n FROM ({relayed}) AS relayed"
        " GROUP BY relayer, event, result"
    )
    return _top(counted, ("relayer",), ("event", "result"), {"n": "sum(n)"}, listed)


def _hops_query(dialect: Dialect) -> str:
    send = dialect.micros("send_time")
    steps = {"recv": "'received' AS step", "end": "outcome AS step"}
    waits = "\nUNION ALL ".join(
        f"SELECT hop, {step}, ({dialect.micros(f'{name}_time')} - {send}) / 1e6 AS wait FROM transfers"
        + (" WHERE outcome IN ('delivered', 'refunded')" if name == "end" else "")
        for name, step in steps.items()
    )
    placed = (
        f"SELECT CASE WHEN hop <= {HOPS} THEN hop ELSE 0 END AS hop, step, {_exact('wait')} AS wait,"
        f" {_place('wait')} AS place\nFROM (\n{waits}\n) AS waits WHERE wait IS NOT NULL"
    )
    return (
        "SELECT hop, step, place, count(*) AS n, sum(wait) AS seconds\n"
        f"FROM ({placed}) AS placed GROUP BY hop, step, place"
    )


def _top(
    counted: str, keys: Sequence[str], alike: Sequence[str], columns: Mapping[str, str], listed: int
) -> str:
    """Combine the rows of all but the `listed` keys with the most packets (`n`) into rows with `rest`."""
    named, others = ", ".join(keys), ", ".join(alike)
    order = ", ".join(f"{key} NULLS FIRST" for key in keys)
    # guard: h115-every-channel-has-a-row-of-its-own {listed => 10 ** 9}
    #   test_h115_a_stranger_s_channels_are_one_series_and_nothing_is_lost
    own = f"place <= {listed}"
    kept = ", ".join(f"CASE WHEN {own} THEN {key} END AS {key}" for key in keys)
    again = ", ".join(f"{expression} AS {name}" for name, expression in columns.items())
    return (
        f"WITH counted AS (\n{counted}\n),\n"
        f"sized AS (SELECT *, sum(n) OVER (PARTITION BY {named}) AS packets FROM counted),\n"
        f"ranked AS (SELECT *, dense_rank() OVER (ORDER BY packets DESC, {order}) AS place FROM sized),\n"
        f"parted AS (SELECT {kept}, NOT ({own}) AS rest, {others}, {', '.join(columns)} FROM ranked)\n"
        f"SELECT {named}, rest, {others}, {again} FROM parted GROUP BY {named}, rest, {others}"
    )
