"""Metrics for Prometheus, and health of a daemon (docs/relayer.md has the table)."""

import json
import logging
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import accumulate
from typing import Any, NamedTuple, TextIO

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from pyibc.relayer.daemon.chain_watch import ChainStatus
from pyibc.relayer.daemon.troubles import Trouble
from pyibc.relayer.daemon.worker import WorkerState, WorkerStatus
from pyibc.relayer.metrics import BOUNDS_S, Latencies
from pyibc.relayer.rpc.pool_node import NodeState

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_COUNTED = {
    "delivered": "Packets received on their destination by the relayer's message.",
    "acknowledged": "Acknowledgements relayed by the relayer's message.",
    "failed": "Acknowledgements among these with an error: the application refused the packet.",
    "timed_out": "Packets timed out by the relayer's message.",
    "closed": "Channel ends closed after their counterparties.",
    "redundant": "Messages without effect: another relayer was first.",
    "transactions": "Transactions that succeeded.",
    "refused": "Transactions that failed.",
    "updates": "Client updates that succeeded.",
    "bytes_sent": "Bytes of messages in transactions that succeeded.",
    "blocks": "Blocks read.",
    "unreadable": "Packet events that could not be read.",
    "unserved": "Starts at which a chain's state could not be queried.",
    "unread": "Blocks from before such starts, whose packets are not known.",
    "conflicts": "Headers given to light clients that differ from their chains' own.",
    "misbehaviours": "Light clients frozen by the relayer's evidence.",
    "upgrades": "Light clients moved to their chains' next revision.",
    "unwatched": "Checks of light clients that failed.",
}


class DaemonSnapshot(NamedTuple):
    """State of a daemon at one moment."""

    links: list[WorkerStatus]
    chains: list[ChainStatus]
    troubles: Sequence[Trouble] = ()


class Exposition(Collector):
    """Collector that reads the daemon's state at each collection."""

    def __init__(self, snapshot: Callable[[], DaemonSnapshot]) -> None:
        """Set the function that returns the daemon's state."""
        self._snapshot = snapshot

    def text(self) -> bytes:
        """Return all metrics in Prometheus' text format."""
        registry = CollectorRegistry(auto_describe=False)
        registry.register(self)
        return generate_latest(registry)

    def collect(self) -> Iterator[Metric]:
        """Yield all metric families."""
        links, chains, troubles = self._snapshot()
        for name, meaning in _COUNTED.items():
            family = CounterMetricFamily(f"ibc_relay_{name}", meaning, labels=("path",))
            for link in links:
                family.add_metric((link.name,), getattr(link.metrics, name))
            yield family
        yield from _link_metrics(links)
        yield from _client_metrics(links)
        yield from _chain_metrics(chains)
        text = "When a trouble that goes on began, unix."
        since = _gauge("trouble_since_seconds", text, "kind", "subject")
        for each in troubles:
            since.add_metric((each.kind.value, each.subject), each.since_s)
        yield since
        yield from _node_metrics(chains)


def _gauge(name: str, text: str, *labels: str) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"ibc_relay_{name}", text, labels=labels)


def _link_metrics(links: list[WorkerStatus]) -> Iterator[Metric]:
    up = _gauge("path_up", "Whether the last round went well.", "path")
    updated = _gauge("backlog_latest_update_seconds", "When a round last went well, unix.", "path")
    failures = _gauge("path_failures", "Failures in a row.", "path")
    held = _gauge("held", "Messages deferred by a filter, or for their price.", "path")
    given_up = _gauge("given_up", "Messages that fail and are retried rarely.", "path")
    given_up_s = _gauge("given_up_seconds", "Since the first failure of the oldest of these.", "path")
    left_out = _gauge("left_out", "Channels of a pattern that cannot be relayed.", "path")
    labels = ("path", "src_chain", "dst_chain", "end")
    size = _gauge("backlog_size", "Packets not finished yet.", *labels)
    oldest = _gauge("backlog_oldest_sequence", "The lowest sequence of these; 0: none.", *labels)
    for link in links:
        up.add_metric((link.name,), int(link.state is WorkerState.RELAYING))
        if link.updated_s:
            updated.add_metric((link.name,), link.updated_s)
        failures.add_metric((link.name,), link.failures)
        given_up.add_metric((link.name,), len(link.metrics.given_up))
        given_up_s.add_metric((link.name,), link.metrics.given_up_s)
        left_out.add_metric((link.name,), link.left_out)
        held.add_metric((link.name,), len(link.metrics.held))
        for each in link.pending:
            where = (link.name, each.src_chain, each.dst_chain, each.end)
            size.add_metric(where, each.packets)
            oldest.add_metric(where, each.oldest)
    yield from (held, left_out, up, updated, failures, given_up, given_up_s, size, oldest)


def _client_metrics(links: list[WorkerStatus]) -> Iterator[Metric]:
    labels = ("path", "chain", "client", "counterparty")
    expires = _gauge("client_expires_seconds", "When the client expires unless updated, unix.", *labels)
    trusting = _gauge("client_trusting_seconds", "The trusting period of the client.", *labels)
    for link in links:
        for each in link.metrics.expiries:
            where = (link.name, each.chain, each.client, each.counterparty)
            expires.add_metric(where, each.expires_ns / 1e9)
            trusting.add_metric(where, each.trusting_ns / 1e9)
    yield from (expires, trusting)


def _chain_metrics(chains: list[ChainStatus]) -> Iterator[Metric]:
    up = _gauge("chain_up", "Whether a node answered last.", "chain")
    height = _gauge("chain_height", "The last block known.", "chain")
    time = _gauge("chain_time_seconds", "Its time, unix.", "chain")
    wallet = _gauge("wallet_balance", "Balance for fees.", "chain", "account", "denom")
    text = "Fees of the day (UTC), to be compared with the budget."
    spent = _gauge("spent_today", text, "chain", "denom")
    latency = _histogram("confirmed", "From a transaction's messages to its block, or its refusal.")
    sent = _histogram("submitted", "From a transaction's messages to the mempool that accepted it.")
    for chain in chains:
        sent.add_metric((chain.chain_id,), _buckets(chain.until_sent), chain.until_sent.total_s)
        up.add_metric((chain.chain_id,), int(chain.is_up))
        latency.add_metric((chain.chain_id,), _buckets(chain.latencies), chain.latencies.total_s)
        if chain.tip is not None:
            height.add_metric((chain.chain_id,), chain.tip.height)
            time.add_metric((chain.chain_id,), chain.tip.time_ns / 1e9)
        for each in chain.funds:
            spent.add_metric((chain.chain_id, each.denom), each.spent_today)
            for account, balance in each.balances:
                wallet.add_metric((chain.chain_id, account, each.denom), balance)
    yield from (up, height, time, wallet, spent, latency, sent)


def _histogram(name: str, text: str) -> HistogramMetricFamily:
    return HistogramMetricFamily(f"ibc_relay_tx_latency_{name}_seconds", text, labels=("chain",))


def _node_metrics(chains: list[ChainStatus]) -> Iterator[Metric]:
    labels = ("chain", "node")
    up = _gauge("node_up", "Whether the node is in use.", *labels)
    height = _gauge("node_height", "The last block that it reported.", *labels)
    since = _gauge("node_state_since_seconds", "When its state began, unix.", *labels, "state")
    again = _gauge("node_next_seconds", "When it is asked or judged again, unix; 0: in use.", *labels)
    for chain in chains:
        for node in chain.nodes:
            where = (chain.chain_id, node.node)
            up.add_metric(where, int(node.state in {NodeState.IN_USE, NodeState.LAST}))
            height.add_metric(where, node.height)
            since.add_metric((*where, node.state.value), node.since_s)
            again.add_metric(where, node.next_s)
    yield from (up, height, since, again)


def _buckets(latencies: Latencies) -> list[tuple[str, float]]:
    """Return cumulative counts by upper bound."""
    bounds = (*map(str, BOUNDS_S), "+Inf")
    return list(zip(bounds, accumulate(latencies.counts), strict=True))


def health(snapshot: DaemonSnapshot) -> tuple[bool, bytes]:
    """Return whether there is no serious trouble, and the states of all paths and chains as JSON.

    A trouble that is not serious, such as a message that is refused again and again, degrades the status.
    """
    links = [_link(link) for link in snapshot.links]
    chains = [
        {
            "chain": chain.chain_id,
            "up": chain.is_up,
            "reason": chain.reason,
            "height": chain.tip and chain.tip.height,
            "denom": chain.denom,
            "balances": chain.balances,
            "spent_today": chain.spent_today,
            "others": [each._asdict() for each in chain.others],
            "nodes": [node._asdict() | {"state": node.state.value} for node in chain.nodes],
        }
        for chain in snapshot.chains
    ]
    well = all(link["state"] == "relaying" for link in links) and all(chain["up"] for chain in chains)
    well = well and not any(each.kind.is_serious for each in snapshot.troubles)
    troubles = [{**each._asdict(), "kind": each.kind.value} for each in snapshot.troubles]
    # guard: a-trouble-degrades-nothing {"degraded" if troubles else "ok" => "ok"}
    #   test_a_message_that_is_given_up_degrades_the_health
    status = ("degraded" if troubles else "ok") if well else "failing"
    told = {"status": status, "well": well, "troubles": troubles, "paths": links, "chains": chains}
    return well, json.dumps(told).encode()


_OUTCOMES = ("delivered", "acknowledged", "failed", "timed_out")


def _link(link: WorkerStatus) -> dict[str, Any]:
    pending = sum(each.packets for each in link.pending)
    return {
        "path": link.name,
        "state": link.state.value,
        "reason": link.reason,
        "failures": link.failures,
        "pending": pending,
        "held": len(link.metrics.held),
        "given_up": len(link.metrics.given_up),
        "given_up_s": round(link.metrics.given_up_s),
        "left_out": link.left_out,
        "left_out_reasons": dict(link.left_out_reasons),
        **{name: getattr(link.metrics, name) for name in _OUTCOMES},
        "clients": [
            {
                "chain": each.chain,
                "client": each.client,
                "counterparty": each.counterparty,
                "expires_s": each.expires_ns // 10**9,
                "trusting_s": each.trusting_ns // 10**9,
            }
            for each in link.metrics.expiries
        ],
    }


# -- logs in JSON: one line per event, with its attributes as fields; keys are never logged

_PLAIN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "taskName"}
MAX_TEXT = 2_000
"""Maximum number of characters of a field: nodes may put any text into a refusal."""


class JsonLines(logging.Formatter):
    """Formatter of a record as one line of JSON: `time`, `level`, `event`, and its extra fields."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, in ASCII."""
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line: dict[str, object] = {"time": time, "level": record.levelname.lower()}
        line["event"] = record.getMessage()
        line |= {name: _short(value) for name, value in vars(record).items() if name not in _PLAIN}
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)[-MAX_TEXT:]
        return json.dumps(line, default=str)


def log_to(stream: TextIO, level: str) -> None:
    """Write the relayer's logs to `stream`, from `level` on."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    logger = logging.getLogger("pyibc.relayer")
    logger.handlers[:] = [handler]
    logger.setLevel(level.upper())
    logger.propagate = False


def _short(value: object) -> object:
    return value[:MAX_TEXT] if isinstance(value, str) else value
