"""Queries for the metrics: packets by event, state and latency, per channel, chain, relayer and hop.

Packets with the same values in all of these are one row, with their number `n`, which is added up from the
aggregates by hour. Any user can open channels and relay packets, so all but the channels and
relayers with the most packets are rows with `rest`.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pyibc.indexer.chains.progress import Tip
from pyibc.indexer.results.hours import WAITS, bucket
from pyibc.indexer.results.table_answers import WAITS_QUERY
from pyibc.indexer.sql import SqlEngine, columns_of

LISTED = 100  # channels, relayers with rows of their own
HOPS = 8  # hops with rows of their own
ABANDONED_AFTER_S = 7 * 86_400
"""Age at which a packet that is stuck, or whose acknowledgement is overdue, is abandoned.

The age is the time from its send to the last block of its sending chain."""
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
SETTLED = ("delivered", "answered", "refunded")
"""Outcomes of transfers that change no more."""
STEPS = ("received", *SETTLED)
"""Steps of a transfer whose latency since the send is measured."""
_FLAGS = ("sent", "received", "written", "acknowledged", "timed_out", "result", "state")
_PLACES = tuple(f"{name}_place" for name in WAITS)  # buckets of latencies; null: no latency
_SUMS = ("n", *(f"{name}_s" for name in WAITS))
_TIPS = columns_of("chain string, tip_us bigint")


class LiveAnswers(NamedTuple):
    """Query results; each row has the number `n` of its packets or transfers."""

    channels: list[Row]  # `CHANNEL`, rest, `_FLAGS`, `_PLACES`, `_SUMS`, oldest_us
    chains: list[Row]  # src_chain, dst_chain (null: not in the inputs), `_FLAGS`, n, oldest_us
    relayers: list[Row]  # relayer, rest, event, result, n
    hops: list[Row]  # hop (0: above `HOPS`), step, place (bucket), n, seconds


def live_answers(engine: SqlEngine, tips: Mapping[str, Tip], listed: int = LISTED) -> LiveAnswers:
    """Run the queries over the aggregates that are registered with `engine`; `tips` are the last blocks."""
    clocks = [(chain, None if tip.time_ns is None else tip.time_ns // 1000) for chain, tip in tips.items()]
    engine.table("live_tips", _TIPS, clocks)
    classified = _classified()
    queries = (
        _channels_query(classified, listed),
        _chains_query(classified),
        _relayers_query(listed),
        _hops_query(),
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


def _classified() -> str:
    """Select the packets with the state, and with the chains that are in the inputs."""
    old = f"coalesce(send_us < src.tip_us - {ABANDONED_AFTER_S * 10**6}, FALSE)"
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
        *(name for name in _FLAGS if name != "state"),
        "src.chain AS known_src",
        "dst.chain AS known_dst",
        f"CASE WHEN in_flight THEN {pending} ELSE {ended} END AS state",
        "send_us",
        *_SUMS,
        *_PLACES,
    ]
    return (
        f"SELECT {', '.join(columns)}\nFROM packets_by_hour AS packets\n"
        "LEFT JOIN live_tips AS src ON packets.src_chain = src.chain\n"
        "LEFT JOIN live_tips AS dst ON packets.dst_chain = dst.chain"
    )


def _channels_query(classified: str, listed: int) -> str:
    alike = ", ".join((*CHANNEL, *_FLAGS, *_PLACES))
    sums = ", ".join(f"sum({name}) AS {name}" for name in _SUMS)
    counted = (
        f"SELECT {alike}, {sums}, min(send_us) AS oldest_us\n"
        f"FROM ({classified}) AS classified GROUP BY {alike}"
    )
    again = {name: f"sum({name})" for name in _SUMS} | {"oldest_us": "min(oldest_us)"}
    return _top(counted, CHANNEL, (*_FLAGS, *_PLACES), again, listed)


def _chains_query(classified: str) -> str:
    """Build the query for rows by pair of chains; chains in the inputs have a row without packets, too."""
    flags = ", ".join(_FLAGS)
    pair = "known_src AS src_chain, known_dst AS dst_chain"
    return (
        f"SELECT {pair}, {flags}, sum(n) AS n, min(send_us) AS oldest_us\n"
        f"FROM ({classified}) AS classified GROUP BY known_src, known_dst, {flags}\n"
        f"UNION ALL SELECT chain, chain{', NULL' * len(_FLAGS)}, 0, NULL FROM live_tips"
    )


def _relayers_query(listed: int) -> str:
    counted = (
        "SELECT relayer, event, result, sum(n) AS n FROM relayed_by_hour"
        " WHERE relayer IS NOT NULL GROUP BY relayer, event, result"
    )
    return _top(counted, ("relayer",), ("event", "result"), {"n": "sum(n)"}, listed)


def _hops_query() -> str:
    placed = (
        f"SELECT CASE WHEN hop <= {HOPS} THEN hop ELSE 0 END AS hop,\n"
        f"  CASE WHEN step = 'recv' THEN 'received' ELSE outcome END AS step,\n"
        f"  {bucket('(wait_us / 1e6)')} AS place, n, seconds\n"
        f"FROM (\n{WAITS_QUERY}\n) AS waits\n"
        f"WHERE step = 'recv' OR outcome IN {SETTLED}"
    )
    return (
        "SELECT hop, step, place, sum(n) AS n, sum(seconds) AS seconds\n"
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
