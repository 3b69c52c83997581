"""Metrics of packets: events, pending packets and latencies by channel, chain, relayer and hop."""

from collections.abc import Iterator, Mapping, Sequence

from prometheus_client.core import Metric

from pyibc.indexer.live.aggregates import (
    ABANDONED_AFTER_S,
    BOUNDS_S,
    CHANNEL,
    EVENTS,
    HOPS,
    LATENCIES,
    PENDING,
    RECEIVING,
    RELAYED,
    SENDING,
    STATES,
    STEPS,
    Event,
    LiveAnswers,
    bucket,
    seconds,
    state,
)
from pyibc.indexer.live.counters import Counters, Labels
from pyibc.indexer.live.families import (
    LONGEST,
    OTHERS_SINCE_START,
    Row,
    Rows,
    counter,
    gauge,
    histogram,
    own_labels,
    states,
)
from pyibc.indexer.words import short

_EVENT = ("event", "result")
_PENDING = (
    "in flight, each in one state. A packet that was sent more than "
    f"{ABANDONED_AFTER_S // 86_400} days before the last block is `abandoned` instead of `stuck`, "
    "`ack_abandoned` instead of `ack_overdue`."
)
_OLDEST = "Send time of the oldest packet in flight that is not abandoned."
_RESULT = "`result` is that of the acknowledgement."


def packet_metrics(found: LiveAnswers, counters: Counters) -> Iterator[Metric]:
    """Yield the families of all packets, of chains, channels, relayers and hops."""
    yield from _chains(found.chains, counters)
    yield from _channels(_with_labels(found.channels, CHANNEL), counters)
    yield _events(
        counters,
        "ibc_relayer_packet_events",
        f"Packets with an event that the relayer caused; {_RESULT} {OTHERS_SINCE_START}",
        ("relayer",),
        dict.fromkeys(RELAYED, _with_labels(found.relayers, ("relayer",))),
    )
    hops: Rows = [((str(row.hop) if row.hop else f"over {HOPS}",), row) for row in found.hops]
    yield histogram(
        counters,
        "ibc_hop_latency_seconds",
        "Time from the send of a hop of a transfer to the step.",
        ("hop",),
        {(step,): _latencies(hops, step) for step in STEPS},
        ("step",),
    )


def _chains(rows: Sequence[Row], counters: Counters) -> Iterator[Metric]:
    """Yield the families of all packets, and of each chain in the inputs."""
    everything: Rows = [((), row) for row in rows]
    sides: dict[str, Rows] = {
        name: [((short(chain, LONGEST),), row) for row in rows if (chain := getattr(row, name)) is not None]
        for name in ("src_chain", "dst_chain")
    }
    yield states("ibc_packets", "All packets, each in one state.", (), everything, _columns(STATES))
    by_event = dict.fromkeys(SENDING, sides["src_chain"])
    by_event |= dict.fromkeys(RECEIVING, sides["dst_chain"])
    yield _events(
        counters,
        "ibc_chain_packet_events",
        f"Packets with an event of the chain; {_RESULT}",
        ("chain",),
        by_event,
    )
    sent = sides["src_chain"]
    yield states(
        "ibc_chain_pending_packets",
        f"Packets of a sending chain {_PENDING}",
        ("chain",),
        sent,
        _columns(PENDING),
    )
    yield _oldest("ibc_chain_oldest_pending_send_timestamp_seconds", ("chain",), sent)


def _channels(rows: Rows, counters: Counters) -> Iterator[Metric]:
    text = f"Packets of a channel and direction with an event; {_RESULT} {OTHERS_SINCE_START}"
    yield _events(counters, "ibc_channel_packet_events", text, CHANNEL, dict.fromkeys(EVENTS, rows))
    yield states(
        "ibc_channel_pending_packets",
        f"Packets of a channel and direction {_PENDING}",
        CHANNEL,
        rows,
        _columns(PENDING),
    )
    yield _oldest("ibc_channel_oldest_pending_send_timestamp_seconds", CHANNEL, rows)
    yield histogram(
        counters,
        "ibc_channel_latency_seconds",
        f"Time from the send of a packet to the event. {OTHERS_SINCE_START}",
        CHANNEL,
        {tuple(event): _latencies(rows, event) for event in LATENCIES},
        _EVENT,
    )


def _events(
    counters: Counters, name: str, text: str, names: Sequence[str], rows: Mapping[Event, Rows]
) -> Metric:
    parts = {tuple(event): _values(found, EVENTS[event]) for event, found in rows.items()}
    return counter(counters, name, text, names, parts, _EVENT)


def _oldest(name: str, names: Sequence[str], rows: Rows) -> Metric:
    sent = [(labels, None if row.oldest_us is None else row.oldest_us / 1e6) for labels, row in rows]
    return gauge(name, _OLDEST, names, sent, min)


def _latencies(rows: Rows, latency: Event | str) -> list[list[tuple[Labels | None, float]]]:
    columns = [bucket(latency, place) for place in range(len(BOUNDS_S) + 1)]
    return [_values(rows, column) for column in (*columns, seconds(latency))]


def _values(rows: Rows, column: str) -> list[tuple[Labels | None, float]]:
    return [(labels, float(getattr(row, column))) for labels, row in rows]


def _with_labels(rows: Sequence[Row], names: Sequence[str]) -> Rows:
    return [(None if row.rest else own_labels(row, names), row) for row in rows]


def _columns(names: Sequence[str]) -> dict[str, str]:
    return {name: state(name) for name in names}
