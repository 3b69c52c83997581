"""Queries for the metrics: packets by event, pending state and latency, per channel, chain, relayer and hop.

Any user can open channels and relay packets, so each result has a bounded number of rows: the keys with the
most packets, and one row with the sum of all others (`rest`).
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pyibc.indexer.engines import Columns, Dialect, Engine
from pyibc.indexer.packet_table import Tip

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


_RESULTS = ("success", "error", "unknown")
SENT, RECEIVED, TIMED_OUT = Event("send_packet"), Event("recv_packet"), Event("timeout_packet")
WRITTEN = tuple(Event("write_acknowledgement", result) for result in _RESULTS)
ACKNOWLEDGED = tuple(Event("acknowledge_packet", result) for result in _RESULTS)
SENDING = (SENT, *ACKNOWLEDGED, TIMED_OUT)
RECEIVING = (RECEIVED, *WRITTEN)
EVENTS = {event: f"events_{place}" for place, event in enumerate((*SENDING, *RECEIVING))}
"""Events, with the column that counts the packets that have the event."""
_FLAGS = {SENT: "sent", RECEIVED: "received", TIMED_OUT: "timed_out"}
_FLAGS |= {event: f"written AND result = '{event.result}'" for event in WRITTEN}
_FLAGS |= {event: f"acknowledged AND result = '{event.result}'" for event in ACKNOWLEDGED}
LATENCIES = {RECEIVED: "recv", **dict.fromkeys(ACKNOWLEDGED, "ack"), TIMED_OUT: "timeout"}
"""Events whose latency since the send is measured, with the prefix of the latency's column in `packets`."""
RELAYED = (RECEIVED, *ACKNOWLEDGED, TIMED_OUT)
"""Events that a relayer causes."""
STEPS = ("received", "delivered", "refunded")
"""Steps of a transfer whose latency since the send is measured."""
_TIPS: Columns = (("chain", "string"), ("tip_us", "bigint"))


class LiveAnswers(NamedTuple):
    """Query results; columns are named by `EVENTS`, `pending`, `bucket` and `seconds`."""

    channels: list[Row]  # `CHANNEL`, rest, events, pending states, oldest, latencies
    chains: list[Row]  # src_chain, dst_chain (null: not in the inputs), events, states, oldest
    relayers: list[Row]  # relayer, rest, events
    hops: list[Row]  # hop (0: above `HOPS`), latencies


def live_answers(engine: Engine, tips: Mapping[str, Tip], listed: int = LISTED) -> LiveAnswers:
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


def state(name: str) -> str:
    """Return the column that counts the packets in a state."""
    return f"state_{name}"


def bucket(latency: Event | str, place: int) -> str:
    """Return the column that counts the latencies in a bucket."""
    return f"bucket_{_number(latency)}_{place}"


def seconds(latency: Event | str) -> str:
    """Return the column with the sum of all latencies."""
    return f"seconds_{_number(latency)}"


def _number(latency: Event | str) -> int:
    return STEPS.index(latency) if isinstance(latency, str) else list(LATENCIES).index(latency)


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
        "CASE WHEN timed_out THEN 'timed_out' WHEN NOT acknowledged THEN 'receive_only'"
        " WHEN ack = 'success' THEN 'succeeded' WHEN ack = 'error' THEN 'failed' ELSE 'acknowledged' END"
    )
    waits = {name: f"greatest({name}_latency_s, 0)" for name in dict.fromkeys(LATENCIES.values())}
    columns = [
        *CHANNEL,
        *("sent", "received", "acknowledged", "timed_out"),
        "src.chain AS known_src",
        "dst.chain AS known_dst",
        "write_ack_height IS NOT NULL AS written",
        "CASE WHEN ack IN ('success', 'error') THEN ack ELSE 'unknown' END AS result",
        f"CASE WHEN in_flight THEN {pending} ELSE {ended} END AS state",
        f"{sent_us} AS sent_us",
        *(f"{wait} AS {name}_s" for name, wait in waits.items()),
        *(f"{_place(wait)} AS {name}_place" for name, wait in waits.items()),
    ]
    return (
        f"SELECT {', '.join(columns)}\nFROM packets\n"
        "LEFT JOIN live_tips AS src ON packets.src_chain = src.chain\n"
        "LEFT JOIN live_tips AS dst ON packets.dst_chain = dst.chain"
    )


def _place(wait: str) -> str:
    """Build the expression for the number of the bucket of `wait`; null for null."""
    cases = " ".join(f"WHEN {wait} <= {bound} THEN {place}" for place, bound in enumerate(BOUNDS_S))
    return f"CASE {cases} WHEN {wait} IS NOT NULL THEN {len(BOUNDS_S)} END"


def _channels_query(classified: str, listed: int) -> str:
    columns = _events(EVENTS) | _states(PENDING) | _oldest()
    for event, name in LATENCIES.items():
        columns |= _histogram(event, _FLAGS[event], f"{name}_s", f"{name}_place")
    return _top(f"({classified}) AS classified", CHANNEL, columns, listed)


def _chains_query(classified: str) -> str:
    """Build the query for one row per pair of chains; chains in the inputs have at least a row of zeros."""
    columns = _events(EVENTS) | _states(STATES) | _oldest()
    used = ("sent", "received", "acknowledged", "timed_out", "written", "result", "state", "sent_us")
    return (
        f"SELECT src_chain, dst_chain, {_listed(columns)}\nFROM (\n"
        f"SELECT known_src AS src_chain, known_dst AS dst_chain, {', '.join(used)}\n"
        f"FROM ({classified}) AS classified\n"
        f"UNION ALL SELECT chain, chain{', NULL' * len(used)} FROM live_tips\n"
        ") AS every GROUP BY src_chain, dst_chain"
    )


def _relayers_query(listed: int) -> str:
    result = "CASE WHEN ack IN ('success', 'error') THEN ack ELSE 'unknown' END"
    relayed = (
        "SELECT relayer_recv AS relayer, TRUE AS received, FALSE AS acknowledged, FALSE AS timed_out,"
        " '' AS result FROM packets WHERE relayer_recv IS NOT NULL\n"
        "UNION ALL\n"
        f"SELECT relayer_back AS relayer, FALSE, acknowledged, timed_out, {result}"
        " FROM packets WHERE relayer_back IS NOT NULL"
    )
    return _top(f"({relayed}) AS relayed", ("relayer",), _events(RELAYED), listed)


def _hops_query(dialect: Dialect) -> str:
    send = dialect.micros("send_time")
    received, ended = (
        f"greatest(({dialect.micros(f'{name}_time')} - {send}) / 1e6, 0)" for name in ("recv", "end")
    )
    waits = (
        f"SELECT CASE WHEN hop <= {HOPS} THEN hop ELSE 0 END AS hop, outcome,\n"
        f"  {received} AS recv_s, {_place(received)} AS recv_place,\n"
        f"  {ended} AS end_s, {_place(ended)} AS end_place\n"
        "FROM transfers"
    )
    columns = _histogram("received", "TRUE", "recv_s", "recv_place")
    for step in STEPS[1:]:
        columns |= _histogram(step, f"outcome = '{step}'", "end_s", "end_place")
    return f"SELECT hop, {_listed(columns)}\nFROM ({waits}) AS waits GROUP BY hop"


def _top(rows: str, keys: Sequence[str], columns: Mapping[str, str], listed: int) -> str:
    """Aggregate by `keys`; combine all but the `listed` groups with the most rows into one with `rest`."""
    named, order = ", ".join(keys), ", ".join(f"{key} NULLS FIRST" for key in keys)
    # guard: h115-every-channel-has-a-row-of-its-own {listed => 10 ** 9}
    #   test_h115_a_stranger_s_channels_are_one_series_and_nothing_is_lost
    own = f"place <= {listed}"
    kept = ", ".join(f"CASE WHEN {own} THEN {key} END AS {key}" for key in keys)
    again = ", ".join(
        f"min({name}) AS {name}" if name == "oldest_us" else f"{_total(name)} AS {name}" for name in columns
    )
    return (
        f"WITH found AS (SELECT {named}, count(*) AS packets, {_listed(columns)}\n"
        f"FROM {rows} GROUP BY {named}),\n"
        f"ranked AS (SELECT *, row_number() OVER (ORDER BY packets DESC, {order}) AS place FROM found),\n"
        f"parted AS (SELECT {kept}, NOT ({own}) AS rest, {', '.join(columns)} FROM ranked)\n"
        f"SELECT {named}, rest, {again} FROM parted GROUP BY {named}, rest ORDER BY rest, {order}"
    )


def _total(name: str) -> str:
    return f"sum({name})" if name.startswith("seconds_") else f"CAST(sum({name}) AS bigint)"


def _listed(columns: Mapping[str, str]) -> str:
    return ",\n  ".join(f"{expression} AS {name}" for name, expression in columns.items())


def _count(condition: str) -> str:
    return f"count(CASE WHEN {condition} THEN 1 END)"


def _events(events: Sequence[Event] | Mapping[Event, str]) -> dict[str, str]:
    return {EVENTS[event]: _count(_FLAGS[event]) for event in events}


def _states(states: Sequence[str]) -> dict[str, str]:
    return {state(name): _count(f"state = '{name}'") for name in states}


def _oldest() -> dict[str, str]:
    """Aggregate to the send time of the oldest packet in flight that is not abandoned."""
    waiting = ", ".join(f"'{name}'" for name in PENDING if "abandoned" not in name)
    return {"oldest_us": f"min(CASE WHEN state IN ({waiting}) THEN sent_us END)"}


def _histogram(latency: Event | str, condition: str, wait: str, place: str) -> dict[str, str]:
    counts = {
        bucket(latency, number): _count(f"{condition} AND {place} = {number}")
        for number in range(len(BOUNDS_S) + 1)
    }
    total = f"sum(CASE WHEN {condition} THEN CAST({wait} AS DECIMAL(20,6)) END)"  # exact in any order
    return counts | {seconds(latency): f"coalesce({total}, 0)"}
