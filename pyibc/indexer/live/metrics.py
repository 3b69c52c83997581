"""Prometheus metrics, computed from the last round at every scrape.

Any user can open channels and clients, so the number of series is bounded: the `LISTED` channels and clients
with the most packets have labels of their own, the others share one series with `other` in every label. Sums
by chain include all packets.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from pyibc.indexer.answers import STATES, WAITING, Answers, Row
from pyibc.indexer.job import Outcome
from pyibc.indexer.live.board import Board, Round
from pyibc.indexer.table_answers import OUTCOMES, PERCENTILES, TableAnswers
from pyibc.indexer.words import short

LISTED = 100  # rows of a list with labels of their own
OTHER = "other"
LONGEST = 128  # maximum characters of a label's value
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_CHANNEL = ("src_chain", "src_port", "src_channel", "dst_chain", "dst_port", "dst_channel")
_CLIENT = ("chain", "client", "claimed_chain")
_PAIR = ("src_chain", "dst_chain")
_SAID = ("sent", "received", "acknowledged", "succeeded", "failed", "timed_out", "refused")

Labels = Sequence[str]
Value = float | int | None


class Metrics(Collector):
    """Prometheus collector for the state of a board."""

    def __init__(self, board: Board, clock: Callable[[], float], listed: int = LISTED) -> None:
        """Collect from `board`; `clock` returns unix seconds; `listed` rows per list get their own labels."""
        self._board = board
        self._clock = clock
        self._listed = listed

    def text(self) -> bytes:
        """Return all metrics in the Prometheus text format."""
        registry = CollectorRegistry(auto_describe=False)
        registry.register(self)
        return generate_latest(registry)

    def collect(self) -> Iterator[Metric]:
        """Yield all metric families."""
        state = self._board.read()
        yield _total("ibc_index_runs", "Runs of the index that succeeded.", state.rounds)
        yield _total("ibc_index_failures", "Runs of the index that failed.", state.failures)
        yield _total("ibc_index_alerts", "Runs of the alert command.", state.alerts)
        yield _total(
            "ibc_index_alert_failures", "Runs of the alert command that failed.", state.alerts_failed
        )
        yield _one("ibc_index_up", "Whether the last check of the inputs succeeded.", int(not state.error))
        if state.last is not None:
            yield from _index(state.last)
            yield from self._chains(state.last)
            yield from self._packets(state.last.outcome.answers)
            yield from self._clients(state.last.outcome.answers.tables)
            yield from self._flows(state.last.outcome.answers.tables)
            yield from self._relayers(state.last.outcome.answers)

    def _chains(self, last: Round) -> Iterator[Metric]:
        outcome = last.outcome
        tips = [tip for _, tip in sorted(outcome.tips.items())]
        timed = [(tip.chain, tip.time_ns / 1e9) for tip in tips if tip.time_ns is not None]
        now = self._clock()
        gaps = last.gaps.items()
        values: dict[tuple[str, str], list[tuple[str, Value]]] = {
            ("height", "Last known height."): [(tip.chain, tip.height) for tip in tips],
            ("time_seconds", "Time of the last known block, unix."): list(timed),
            ("data_age_seconds", "Seconds since that time."): [(chain, now - time) for chain, time in timed],
            ("known_blocks", "Complete blocks."): [
                (chain, known.full.count) for chain, known in outcome.coverage.items()
            ],
            ("gap_heights", "Missing heights."): [(chain, heights.count) for chain, heights in gaps],
            ("gaps", "Ranges of missing heights."): [(chain, len(heights.ranges)) for chain, heights in gaps],
        }
        for (name, text), found in values.items():
            yield _family(f"ibc_chain_{name}", text, ("chain",), _plain(found))
        yield from _said(outcome)

    def _packets(self, found: Answers) -> Iterator[Metric]:
        whole = found.totals
        states = [
            ((name,), getattr(whole, name)) for name in (*WAITING, "acknowledged", "timed_out", "received")
        ]
        yield _family("ibc_packets", "All packets by state; states may overlap.", ("state",), states)
        yield from self._channels(found)

    def _channels(self, found: Answers) -> Iterator[Metric]:
        rows = self._labelled(found.channels, _CHANNEL)
        by_state = [((*labels, state), getattr(row, state)) for labels, row in rows for state in STATES]
        yield _family(
            "ibc_channel_packets",
            "Packets of a channel and direction, each in one state.",
            (*_CHANNEL, "state"),
            by_state,
        )
        for state, text in (
            ("in_flight", "Packets in flight."),
            ("ack_overdue", "Received packets whose acknowledgement is overdue."),
        ):
            values = [(labels, getattr(row, state)) for labels, row in rows]
            yield _family(f"ibc_channel_{state}_packets", text, _CHANNEL, values)
        oldest = [(labels, _seconds(row.oldest_in_flight)) for labels, row in rows]
        yield _family(
            "ibc_channel_oldest_in_flight_seconds",
            "Send time of the oldest packet in flight, unix.",
            _CHANNEL,
            oldest,
            min,
        )
        latency = [
            ((*labels, str(rank)), value)
            for labels, row in rows
            if _own(labels)
            for rank, value in zip(PERCENTILES, row.ack_quantiles or (), strict=False)
        ]
        yield _family(
            "ibc_channel_latency_seconds",
            "Time from send to acknowledgement.",
            (*_CHANNEL, "quantile"),
            latency,
            max,
        )
        yield _one("ibc_channels", "Channels and directions with packets.", found.channel_count)

    def _clients(self, found: TableAnswers) -> Iterator[Metric]:
        rows = self._labelled(found.clients, _CLIENT)
        expires = [(labels, _seconds(row.expires)) for labels, row in rows if _own(labels) or _in_use(row)]
        yield _family(
            "ibc_client_expires_seconds",
            "Expiry time of a client, unix; for `other` the earliest of those in use.",
            _CLIENT,
            expires,
            min,
        )
        misbehaved = [(labels, int(row.misbehaved)) for labels, row in rows]
        yield _family(
            "ibc_client_misbehaved", "Whether the client is frozen by misbehaviour.", _CLIENT, misbehaved, max
        )
        in_use = [(labels, int(_in_use(row))) for labels, row in rows]
        yield _family(
            "ibc_client_in_use", "Whether the client has open channels or packets.", _CLIENT, in_use, max
        )
        yield _one("ibc_clients", "Light clients.", found.client_count)

    def _flows(self, found: TableAnswers) -> Iterator[Metric]:
        flows = self._labelled(found.flows, _PAIR)
        outcomes = [((*labels, name), getattr(row, name)) for labels, row in flows for name in OUTCOMES]
        yield _family("ibc_transfers", "Transfers from chain to chain.", (*_PAIR, "outcome"), outcomes)
        coins = self._labelled(found.coins, (*_PAIR, "src_coin"))
        amounts = [(labels, row.amount) for labels, row in coins if _own(labels)]
        yield _family(
            "ibc_transferred_amount",
            "Delivered amount in the coin's smallest unit.",
            (*_PAIR, "coin"),
            amounts,
        )
        latency = [
            ((str(row.hop), step, str(rank)), value)
            for row in found.hops
            for step, values in (("received", row.recv_quantiles), ("answered", row.end_quantiles))
            for rank, value in zip(PERCENTILES, values or (), strict=False)
        ]
        yield _family(
            "ibc_hop_latency_seconds", "Time from a hop's send.", ("hop", "step", "quantile"), latency, max
        )

    def _relayers(self, found: Answers) -> Iterator[Metric]:
        brought = self._labelled(found.relayers, ("relayer",))
        packets = [
            ((*labels, step), getattr(row, field))
            for labels, row in brought
            for step, field in (("receive", "recv"), ("return", "back"))
        ]
        yield _family(
            "ibc_relayer_packets",
            "Packets that a relayer delivered, or acknowledged or timed out.",
            ("relayer", "step"),
            packets,
        )
        rows = self._labelled(found.tables.costs, ("relayer", "chain"))
        families = {
            "transactions": "Transactions with relay messages.",
            "failed": "Failed transactions with relay messages.",
            "failed_redundant": "Transactions that failed because all packets were relayed already.",
            "redundant": "Relay messages without effect in successful transactions.",
        }
        for field, text in families.items():
            values = [(labels, getattr(row, field)) for labels, row in rows]
            yield _family(f"ibc_relayer_{field}", text, ("relayer", "chain"), values)
        fees = self._labelled(found.tables.costs, ("relayer", "chain", "fee_denom"))
        own = [(labels, row) for labels, row in fees if _own(labels) and row.fee_denom]
        names = ("relayer", "chain", "denom")
        yield _family(
            "ibc_relayer_fees",
            "Fees paid in the coin's smallest unit.",
            names,
            [(labels, row.fees) for labels, row in own],
        )
        yield _family(
            "ibc_relayer_failed_fees",
            "Fees of failed transactions.",
            names,
            [(labels, row.failed_fees) for labels, row in own],
        )

    def _labelled(self, rows: Sequence[Row], names: Labels) -> list[tuple[tuple[str, ...], Row]]:
        """Return rows with their label values, which are `other` after the first `listed` rows."""
        others = (OTHER,) * len(names)
        # guard: h115-every-channel-has-labels-of-its-own {self._listed => 10 ** 9}
        #   test_h115_a_stranger_s_channels_are_one_series_and_nothing_is_lost
        return [
            (
                tuple(short(getattr(row, name) or "", LONGEST) for name in names)
                if place < self._listed
                else others,
                row,
            )
            for place, row in enumerate(rows)
        ]


def _index(last: Round) -> Iterator[Metric]:
    yield _one("ibc_index_run_seconds", "Duration of the last run.", last.seconds)
    yield _one("ibc_index_last_success_seconds", "End of the last successful run, unix.", last.ended)
    yield _one("ibc_index_events", "Packet events in the last run.", last.events)
    yield _one(
        "ibc_index_events_per_second",
        "Packet events per second in the last run.",
        last.events / max(last.seconds, 1e-9),
    )
    yield _one(
        "ibc_index_skipped",
        "Inputs or parts of inputs that could not be read.",
        len(last.outcome.summary["skipped"]),
    )


def _said(outcome: Outcome) -> Iterator[Metric]:
    """Yield the families of packets by chain."""
    counts = outcome.summary["chains"].items()
    said = [((chain, name), numbers[name]) for chain, numbers in counts for name in _SAID]
    yield _family(
        "ibc_chain_packets", "Packets by chain and step that the chain reported.", ("chain", "said"), said
    )
    senders = {row.chain: row for row in outcome.answers.senders}
    waiting = [
        ((chain, name), getattr(senders[chain], name) if chain in senders else 0)
        for chain, _ in counts
        for name in WAITING
    ]
    text = "Packets in flight from a chain, and those of them that are in the other states."
    yield _family("ibc_chain_waiting_packets", text, ("chain", "state"), waiting)
    oldest = [
        (chain, _seconds(row.oldest_in_flight)) for chain, row in senders.items() if chain in dict(counts)
    ]
    text = "Send time of the oldest packet in flight, unix."
    yield _family("ibc_chain_oldest_in_flight_seconds", text, ("chain",), _plain(oldest))


def _own(labels: Labels) -> bool:
    return set(labels) != {OTHER}


def _in_use(client: Row) -> bool:
    return bool(client.channels or client.packets)


def _seconds(micros: int | None) -> float | None:
    return None if micros is None else micros / 1e6


def _plain(values: Iterable[tuple[str, Value]]) -> list[tuple[tuple[str, ...], Value]]:
    return [((short(label, LONGEST),), value) for label, value in values]


def _family(
    name: str,
    text: str,
    labels: Labels,
    values: Iterable[tuple[tuple[str, ...], Any]],
    together: Callable[[float, float], float] = lambda one, other: one + other,
) -> Metric:
    """Build a family of gauges; values with the same labels are combined by `together`, None is left out."""
    found = dict[tuple[str, ...], float]()
    for key, value in values:
        if value is not None:
            # guard: h115-series-of-the-same-labels-replace-each-other drop:found
            #   test_h115_a_stranger_s_channels_are_one_series_and_nothing_is_lost
            found[key] = together(found[key], float(value)) if key in found else float(value)
    family = GaugeMetricFamily(name, text, labels=labels)
    for key, value in found.items():
        family.add_metric(key, value)
    return family


def _one(name: str, text: str, value: float) -> Metric:
    return GaugeMetricFamily(name, text, value=value)


def _total(name: str, text: str, value: float) -> Metric:
    return CounterMetricFamily(name, text, value=value)
