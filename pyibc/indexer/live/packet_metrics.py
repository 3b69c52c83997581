"""Metrics of packets: events, pending packets and latencies by channel, chain, relayer and hop."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from prometheus_client.core import Metric

from pyibc.indexer.live.aggregates import (
    ABANDONED_AFTER_S,
    CHANNEL,
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
    events_of,
)
from pyibc.indexer.live.families import (
    LONGEST,
    OTHERS_SINCE_START,
    Counters,
    Labels,
    Row,
    Rows,
    gauge,
    own_labels,
    states,
    summed,
)
from pyibc.indexer.report.words import short
from pyibc.indexer.results.hours import BOUNDS_S

Values = list[tuple[Labels | None, float]]
Key = TypeVar("Key")

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
    relayers = _with_labels(found.relayers, ("relayer",))
    relayed = _grouped((Event(row.event, row.result), labels, row.n) for labels, row in relayers)
    yield _events(
        counters,
        "ibc_relayer_packet_events",
        f"Packets with an event that the relayer caused; {_RESULT} {OTHERS_SINCE_START}",
        ("relayer",),
        {event: _and_zeros(relayed[event], relayers) for event in RELAYED},
    )
    yield counters.histogram(
        "ibc_hop_latency_seconds",
        "Time from the send of a hop of a transfer to the step.",
        ("hop",),
        {(step,): _hop_latencies(found.hops, step) for step in STEPS},
        ("step",),
    )


def _chains(rows: Sequence[Row], counters: Counters) -> Iterator[Metric]:
    """Yield the families of all packets, and of each chain in the inputs."""
    yield _states("ibc_packets", "All packets, each in one state.", (), [((), row) for row in rows], STATES)
    sides: dict[str, Rows] = {
        name: [((short(chain, LONGEST),), row) for row in rows if (chain := getattr(row, name)) is not None]
        for name in ("src_chain", "dst_chain")
    }
    by_event = dict.fromkeys(SENDING, sides["src_chain"]) | dict.fromkeys(RECEIVING, sides["dst_chain"])
    text = f"Packets with an event of the chain; {_RESULT}"
    values = {event: _with_event(found, event) for event, found in by_event.items()}
    yield _events(counters, "ibc_chain_packet_events", text, ("chain",), values)
    text = f"Packets of a sending chain {_PENDING}"
    yield _states("ibc_chain_pending_packets", text, ("chain",), sides["src_chain"], PENDING)
    yield _oldest("ibc_chain_oldest_pending_send_timestamp_seconds", ("chain",), sides["src_chain"])


def _channels(rows: Rows, counters: Counters) -> Iterator[Metric]:
    text = f"Packets of a channel and direction with an event; {_RESULT} {OTHERS_SINCE_START}"
    values = {event: _with_event(rows, event) for event in (*SENDING, *RECEIVING)}
    yield _events(counters, "ibc_channel_packet_events", text, CHANNEL, values)
    text = f"Packets of a channel and direction {_PENDING}"
    yield _states("ibc_channel_pending_packets", text, CHANNEL, rows, PENDING)
    yield _oldest("ibc_channel_oldest_pending_send_timestamp_seconds", CHANNEL, rows)
    yield counters.histogram(
        "ibc_channel_latency_seconds",
        f"Time from the send of a packet to the event. {OTHERS_SINCE_START}",
        CHANNEL,
        {tuple(event): _latencies(rows, event) for event in LATENCIES},
        _EVENT,
    )


def _events(
    counters: Counters, name: str, text: str, names: Sequence[str], values: Mapping[Event, Values]
) -> Metric:
    return counters.counter(
        name, text, names, {tuple(event): found for event, found in values.items()}, _EVENT
    )


def _states(name: str, text: str, names: Sequence[str], rows: Rows, wanted: Sequence[str]) -> Metric:
    found = _grouped((row.state, labels, row.n) for labels, row in rows)
    return states(name, text, names, {state: _and_zeros(found[state], rows) for state in wanted})


def _oldest(name: str, names: Sequence[str], rows: Rows) -> Metric:
    waiting = [state for state in PENDING if "abandoned" not in state]
    sent = [
        (labels, row.oldest_us / 1e6)
        for labels, row in rows
        if row.state in waiting and row.oldest_us is not None
    ]
    return gauge(name, _OLDEST, names, sent, min)


def _with_event(rows: Rows, event: Event) -> Values:
    return [(labels, float(row.n if event in events_of(row) else 0)) for labels, row in rows]


def _latencies(rows: Rows, event: Event) -> list[Values]:
    """Return the values of each bucket, and the sums of seconds."""
    place, seconds = f"{LATENCIES[event]}_place", f"{LATENCIES[event]}_s"
    timed = [
        (labels, row) for labels, row in rows if getattr(row, place) is not None and event in events_of(row)
    ]
    found = _grouped((getattr(row, place), labels, row.n) for labels, row in timed)
    sums = _exact((labels, getattr(row, seconds)) for labels, row in timed)
    return [*(_and_zeros(found[number], timed) for number in range(len(BOUNDS_S) + 1)), sums]


def _hop_latencies(rows: Sequence[Row], step: str) -> list[Values]:
    timed = [((str(row.hop) if row.hop else f"over {HOPS}",), row) for row in rows if row.step == step]
    found = _grouped((row.place, labels, row.n) for labels, row in timed)
    sums = _exact((labels, row.seconds) for labels, row in timed)
    return [*(_and_zeros(found[number], timed) for number in range(len(BOUNDS_S) + 1)), sums]


def _exact(seconds: Iterable[tuple[Labels | None, Any]]) -> Values:
    """Sum decimals before they become floats: the result does not depend on the order of rows."""
    return [(labels, float(total)) for labels, total in summed(seconds).items()]


def _grouped(values: Iterable[tuple[Key, Labels | None, float]]) -> defaultdict[Key, Values]:
    found = defaultdict[Key, Values](list)
    for key, labels, value in values:
        found[key].append((labels, float(value)))
    return found


def _and_zeros(values: Values, rows: Rows) -> Values:
    """Return values with a zero for each label of `rows`: a series that is missing has no increase."""
    return [*dict.fromkeys((labels, 0.0) for labels, _ in rows), *values]


def _with_labels(rows: Sequence[Row], names: Sequence[str]) -> Rows:
    return [(None if row.rest else own_labels(row, names), row) for row in rows]
