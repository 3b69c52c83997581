"""What Prometheus and health checks are told of a daemon (docs/relayer.md has the table)."""

import json
from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import Any, NamedTuple

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from ibc_relayer.daemon.chain_watch import ChainStatus
from ibc_relayer.daemon.latency import BOUNDS_S, Latencies
from ibc_relayer.daemon.worker import State, Status

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_COUNTED = {
    "delivered": "Packets received on their destination by a message of ours.",
    "acknowledged": "Acknowledgements brought back by a message of ours.",
    "timed_out": "Packets timed out by a message of ours.",
    "closed": "Channel ends closed after their counterparties.",
    "redundant": "Messages without effect: another relayer was first.",
    "transactions": "Transactions that succeeded.",
    "refused": "Transactions that failed.",
    "updates": "Client updates that succeeded.",
    "bytes_sent": "Bytes of messages in transactions that succeeded.",
    "blocks": "Blocks read.",
    "unreadable": "Packet events that could not be read.",
    "unserved": "Starts at which a chain's state could not be asked for.",
    "unread": "Blocks from before such starts, whose packets are not known.",
    "conflicts": "Headers given to light clients that are not their chains' own.",
    "misbehaviours": "Light clients frozen by evidence of ours.",
    "upgrades": "Light clients moved to their chains' next revision.",
    "unwatched": "Looks at light clients that failed.",
}


class Seen(NamedTuple):
    """A daemon at one moment."""

    links: list[Status]
    chains: list[ChainStatus]


class Exposition(Collector):
    """The numbers, made whenever they are asked for."""

    def __init__(self, see: Callable[[], Seen]) -> None:
        """`see` gives the daemon as it stands."""
        self._see = see

    def text(self) -> bytes:
        """All of them, as Prometheus reads them."""
        registry = CollectorRegistry(auto_describe=False)
        registry.register(self)
        return generate_latest(registry)

    def collect(self) -> Iterator[Metric]:
        """Every family."""
        links, chains = self._see()
        for name, meaning in _COUNTED.items():
            family = CounterMetricFamily(f"ibc_relay_{name}", meaning, labels=("path",))
            for link in links:
                family.add_metric((link.name,), getattr(link.metrics, name))
            yield family
        yield from _of_links(links)
        yield from _of_chains(chains)


def _of_links(links: list[Status]) -> Iterator[Metric]:
    up = GaugeMetricFamily("ibc_relay_path_up", "Whether the last round went well.", labels=("path",))
    updated = GaugeMetricFamily(
        "ibc_relay_backlog_latest_update_seconds", "When a round last went well, unix.", labels=("path",)
    )
    failures = GaugeMetricFamily("ibc_relay_path_failures", "Failures in a row.", labels=("path",))
    held = GaugeMetricFamily(
        "ibc_relay_held", "Messages held back by a filter, or for their price.", labels=("path",)
    )
    given_up = GaugeMetricFamily("ibc_relay_given_up", "Messages not tried for a while.", labels=("path",))
    labels = ("path", "src_chain", "dst_chain", "end")
    size = GaugeMetricFamily("ibc_relay_backlog_size", "Packets not finished yet.", labels=labels)
    oldest = GaugeMetricFamily(
        "ibc_relay_backlog_oldest_sequence", "The lowest sequence of these; 0: none.", labels=labels
    )
    for link in links:
        up.add_metric((link.name,), int(link.state is State.RELAYING))
        if link.updated_s:
            updated.add_metric((link.name,), link.updated_s)
        failures.add_metric((link.name,), link.failures)
        given_up.add_metric((link.name,), len(link.metrics.given_up))
        held.add_metric((link.name,), len(link.metrics.held))
        for each in link.waiting:
            where = (link.name, each.src_chain, each.dst_chain, each.end)
            size.add_metric(where, each.packets)
            oldest.add_metric(where, each.oldest)
    yield from (held, up, updated, failures, given_up, size, oldest)


def _of_chains(chains: list[ChainStatus]) -> Iterator[Metric]:
    up = GaugeMetricFamily("ibc_relay_chain_up", "Whether a node answered last.", labels=("chain",))
    height = GaugeMetricFamily("ibc_relay_chain_height", "The last block known.", labels=("chain",))
    time = GaugeMetricFamily("ibc_relay_chain_time_seconds", "Its time, unix.", labels=("chain",))
    wallet = GaugeMetricFamily(
        "ibc_relay_wallet_balance", "What fees are paid from.", labels=("chain", "account", "denom")
    )
    latency = HistogramMetricFamily(
        "ibc_relay_tx_latency_confirmed_seconds",
        "From a transaction's messages to its block, or its refusal.",
        labels=("chain",),
    )
    sent = HistogramMetricFamily(
        "ibc_relay_tx_latency_submitted_seconds",
        "From a transaction's messages to the mempool that took it.",
        labels=("chain",),
    )
    for chain in chains:
        sent.add_metric((chain.chain_id,), _buckets(chain.until_sent), chain.until_sent.total_s)
        up.add_metric((chain.chain_id,), int(chain.is_up))
        latency.add_metric((chain.chain_id,), _buckets(chain.latencies), chain.latencies.total_s)
        if chain.tip is not None:
            height.add_metric((chain.chain_id,), chain.tip.height)
            time.add_metric((chain.chain_id,), chain.tip.time_ns / 1e9)
        for account, balance in chain.balances:
            wallet.add_metric((chain.chain_id, account, chain.denom), balance)
    yield from (up, height, time, wallet, latency, sent)


def _buckets(latencies: Latencies) -> list[tuple[str, float]]:
    """Cumulative, as Prometheus wants them."""
    bounds = (*map(str, BOUNDS_S), "+Inf")
    return list(zip(bounds, accumulate(latencies.counts), strict=True))


def health(seen: Seen) -> tuple[bool, bytes]:
    """Whether all paths are relayed and all chains answer, and what is known of each, as JSON."""
    links = [_link(link) for link in seen.links]
    chains = [
        {
            "chain": chain.chain_id,
            "up": chain.is_up,
            "reason": chain.reason,
            "height": chain.tip and chain.tip.height,
            "denom": chain.denom,
            "balances": chain.balances,
        }
        for chain in seen.chains
    ]
    well = all(link["state"] == "relaying" for link in links) and all(chain["up"] for chain in chains)
    return well, json.dumps({"well": well, "paths": links, "chains": chains}).encode()


def _link(link: Status) -> dict[str, Any]:
    pending = sum(each.packets for each in link.waiting)
    return {
        "path": link.name,
        "state": link.state.value,
        "reason": link.reason,
        "failures": link.failures,
        "pending": pending,
        "held": len(link.metrics.held),
        "given_up": len(link.metrics.given_up),
        **{name: getattr(link.metrics, name) for name in ("delivered", "acknowledged", "timed_out")},
    }
