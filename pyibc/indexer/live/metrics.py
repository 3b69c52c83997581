"""Prometheus metrics of the live index, named by the conventions of Prometheus.

The families are built once per round. Counters never fall while the program runs, although the tables behind
them are computed anew, and the number of series is bounded (`families.py`).
"""

from collections import Counter
from collections.abc import Iterator
from threading import Lock

from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily, Metric
from prometheus_client.registry import Collector

from ibc_module import __version__
from pyibc.indexer.live.aggregates import LISTED, SETTLED
from pyibc.indexer.live.families import (
    LONGEST,
    OTHERS_SINCE_START,
    Counters,
    Labels,
    Row,
    Rows,
    gauge,
    labelled,
    states,
)
from pyibc.indexer.live.follow import Board, LiveState, Round
from pyibc.indexer.live.packet_metrics import packet_metrics
from pyibc.indexer.report.words import short
from pyibc.indexer.results.answers import Answers
from pyibc.indexer.results.table_answers import OUTCOMES, TableAnswers

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_CHAIN = ("chain",)
_CLIENT = ("chain", "client", "claimed_chain")
_PAIR = ("src_chain", "dst_chain")
_OPEN = tuple(name for name in OUTCOMES if name not in SETTLED)
_CLIENT_STATES = ("active", "expired", "misbehaved", "unused")


class Metrics(Collector):
    """Prometheus collector for the state of a board."""

    def __init__(self, board: Board, listed: int = LISTED) -> None:
        """Collect from `board`; `listed` clients, pairs of chains, coins and payers get their own labels."""
        self._board = board
        self._listed = listed
        self._counters = Counters()
        self._lock = Lock()
        self._last: Round | None = None  # the round of `_families`
        self._families = _Families([])
        self._text = b""  # of `_families`
        self._process = ProcessCollector(registry=None)

    def text(self) -> bytes:
        """Return all metrics in the Prometheus text format."""
        status = self._board.read()
        changing = _Families([*_program(status), *self._process.collect()])
        return _text(changing) + self._round(status)[1]

    def collect(self) -> Iterator[Metric]:
        """Yield all metric families except those of the process."""
        status = self._board.read()
        yield from _program(status)
        yield from self._round(status)[0].collect()

    def _round(self, status: LiveState) -> tuple["_Families", bytes]:
        """Return the families of the last round, and their text, which are made once per round."""
        with self._lock:
            if status.last is not None and status.last is not self._last:
                self._families = _Families(list(self._of_round(status.last)))
                self._text = _text(self._families)
                self._last = status.last
            return self._families, self._text

    def _of_round(self, last: Round) -> Iterator[Metric]:
        answers = last.outcome.answers
        yield from _index(last)
        yield from _coverage(last)
        yield from packet_metrics(last.outcome.asked, self._counters)
        yield gauge(
            "ibc_channels", "Channels and directions with packets.", (), [((), answers.channel_count)]
        )
        yield from self._clients(last)
        yield from self._transfers(answers.tables)
        yield from self._relayers(answers)

    def _clients(self, last: Round) -> Iterator[Metric]:
        found, tips = last.outcome.answers.tables, last.outcome.tips
        known = {chain: tip.time_ns / 1e9 for chain, tip in tips.items() if tip.time_ns is not None}
        rows = labelled(found.clients, _CLIENT, self._listed)
        expiry = [
            (labels, None if row.expires is None else row.expires / 1e6)
            for labels, row in rows
            if labels is not None or _client_state(row, known) == "active"
        ]
        yield gauge(
            "ibc_client_expiry_timestamp_seconds",
            "Expiry time of a client; for `other` the earliest of the active ones.",
            _CLIENT,
            expiry,
            min,
        )
        text = "Whether the client is frozen by misbehaviour."
        values: list[tuple[Labels | None, float]] = [(labels, int(row.misbehaved)) for labels, row in rows]
        yield gauge("ibc_client_misbehaved", text, _CLIENT, values, max)
        text = "Whether the client has open channels or packets."
        values = [(labels, int(_in_use(row))) for labels, row in rows]
        yield gauge("ibc_client_in_use", text, _CLIENT, values, max)
        counts = Counter((row.chain, _client_state(row, known)) for row in found.clients)
        chains = dict.fromkeys([*tips, *(row.chain for row in found.clients)])
        yield gauge(
            "ibc_chain_clients",
            "Clients of a chain, each in one state as of the chain's last block; `unused` is without open "
            "channels and packets.",
            (*_CHAIN, "state"),
            [
                ((short(chain, LONGEST), name), counts[chain, name])
                for chain in chains
                for name in _CLIENT_STATES
            ],
        )

    def _transfers(self, found: TableAnswers) -> Iterator[Metric]:
        rows = labelled(found.flows, _PAIR, self._listed)
        yield self._counters.counter(
            "ibc_transfers",
            "Transfers that were delivered, refunded after an error or a timeout, or answered with a result "
            f"that is not known. {OTHERS_SINCE_START}",
            _PAIR,
            {(name,): [(labels, getattr(row, name)) for labels, row in rows] for name in SETTLED},
            ("outcome",),
        )
        text = "Transfers that are not settled as far as is known, each in one state."
        waiting = {name: [(labels, getattr(row, name)) for labels, row in rows] for name in _OPEN}
        yield states("ibc_open_transfers", text, _PAIR, waiting)
        names = (*_PAIR, "src_coin")
        coins = [row for row in labelled(found.coins, names, self._listed) if row[0] is not None]
        yield self._counters.counter(
            "ibc_transferred_amount",
            "Delivered amount in the coin's smallest unit.",
            (*_PAIR, "coin"),
            {(): [(labels, float(row.amount)) for labels, row in coins if row.amount is not None]},
        )

    def _relayers(self, found: Answers) -> Iterator[Metric]:
        names = ("relayer", "chain")
        rows = labelled(found.tables.costs, names, self._listed)
        yield self._counters.counter(
            "ibc_relayer_transactions",
            "Transactions with relay messages; `redundant`: failed because all packets were relayed before. "
            + OTHERS_SINCE_START,
            names,
            {
                ("success",): [(labels, row.transactions - row.failed) for labels, row in rows],
                ("redundant",): [(labels, row.failed_redundant) for labels, row in rows],
                ("error",): [(labels, row.failed - row.failed_redundant) for labels, row in rows],
            },
            ("result",),
        )
        yield self._counters.counter(
            "ibc_relayer_redundant_messages",
            f"Relay messages without effect in successful transactions. {OTHERS_SINCE_START}",
            names,
            {(): [(labels, row.redundant) for labels, row in rows]},
        )
        yield self._fees(found)

    def _fees(self, found: Answers) -> Metric:
        names = ("relayer", "chain", "fee_denom")
        rows: Rows = [
            (labels, row)
            for labels, row in labelled(found.tables.costs, names, self._listed)
            if labels is not None and row.fee_denom and row.fees is not None and row.failed_fees is not None
        ]
        return self._counters.counter(
            "ibc_relayer_fees",
            "Fees of transactions with relay messages in the coin's smallest unit.",
            ("relayer", "chain", "denom"),
            {
                ("success",): [(labels, float(row.fees) - float(row.failed_fees)) for labels, row in rows],
                ("error",): [(labels, float(row.failed_fees)) for labels, row in rows],
            },
            ("result",),
        )


class _Families(Collector):
    """Collector of families that exist already."""

    def __init__(self, families: list[Metric]) -> None:
        self._families = families

    def collect(self) -> list[Metric]:
        """Return the families."""
        return self._families


def _text(families: _Families) -> bytes:
    registry = CollectorRegistry(auto_describe=False)
    registry.register(families)
    return generate_latest(registry)


def _program(status: LiveState) -> Iterator[Metric]:
    """Yield the families of the program itself, which exist before the first round."""
    totals = {
        "ibc_index_runs": ("Runs of the index that succeeded.", status.rounds),
        "ibc_index_failures": ("Runs of the index that failed.", status.failures),
        "ibc_index_alerts": ("Runs of the alert command.", status.alerts),
        "ibc_index_alert_failures": ("Runs of the alert command that failed.", status.alerts_failed),
    }
    for name, (text, value) in totals.items():
        yield CounterMetricFamily(name, text, value=value)
    text = "Whether the last check of the inputs succeeded."
    yield GaugeMetricFamily("ibc_index_up", text, value=int(not status.error))
    yield InfoMetricFamily("ibc_index_build", "Version of the program.", value={"version": __version__})
    if status.checked is not None:
        text = "When the inputs were last checked with success."
        yield GaugeMetricFamily("ibc_index_last_check_timestamp_seconds", text, value=status.checked)


def _index(last: Round) -> Iterator[Metric]:
    text = "Duration of the last run."
    yield GaugeMetricFamily("ibc_index_last_run_duration_seconds", text, value=last.seconds)
    text = "End of the last successful run."
    yield GaugeMetricFamily("ibc_index_last_success_timestamp_seconds", text, value=last.ended)
    yield GaugeMetricFamily("ibc_index_events", "Packet events in the index.", value=last.outcome.events)
    text = "Inputs or parts of inputs that could not be read."
    yield GaugeMetricFamily("ibc_index_skipped", text, value=len(last.outcome.summary["skipped"]))


def _coverage(last: Round) -> Iterator[Metric]:
    """Yield the families of how far each chain is known."""
    tips = [tip for _, tip in sorted(last.outcome.tips.items())]
    timed = [(tip.chain, tip.time_ns / 1e9) for tip in tips if tip.time_ns is not None]
    blocks = [(chain, known.full.count) for chain, known in last.outcome.coverage.items()]
    gaps = last.gaps.items()
    values: dict[tuple[str, str], list[tuple[str, float]]] = {
        ("height", "Last known height."): [(tip.chain, tip.height) for tip in tips],
        ("block_timestamp_seconds", "Time of the last known block."): list(timed),
        ("known_blocks", "Complete blocks."): [(chain, number) for chain, number in blocks],
        ("gap_heights", "Missing heights."): [(chain, heights.count) for chain, heights in gaps],
        ("gaps", "Ranges of missing heights."): [(chain, len(heights.ranges)) for chain, heights in gaps],
    }
    for (name, text), found in values.items():
        yield gauge(f"ibc_chain_{name}", text, _CHAIN, [((short(chain, LONGEST),), n) for chain, n in found])


def _client_state(client: Row, known: dict[str, float]) -> str:
    if not _in_use(client):
        return "unused"
    if client.misbehaved:
        return "misbehaved"
    expired = client.expires is not None and client.expires / 1e6 <= known.get(client.chain, float("-inf"))
    return "expired" if expired else "active"


def _in_use(client: Row) -> bool:
    return bool(client.channels or client.packets)
