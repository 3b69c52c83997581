"""Prometheus metrics: correct values, of the right types, in a bounded number of series."""

from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from prometheus_client.parser import text_string_to_metric_families

from pyibc.indexer.live.families import Counters, labelled
from tests.exported_chains import Chains

ROOT = Path(__file__).parents[5]
DAY = 86_400
DIRECTION = {
    "src_chain": "a-1",
    "src_port": "transfer",
    "src_channel": "channel-0",
    "dst_chain": "b-1",
    "dst_port": "transfer",
    "dst_channel": "channel-0",
}


def of(metrics):
    return {
        (sample.name, *sorted(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(metrics.text().decode())
        for sample in family.samples
    }


def by(samples, name, *labels, **equal):
    """Values of a metric by its labels, of the series with some values."""
    found = {}
    for key, value in samples.items():
        named = dict(key[1:])
        if key[0] == name and equal.items() <= named.items():
            shown = tuple(named[label] for label in labels)
            found[shown if len(labels) > 1 else shown[0]] = value
    return found


def metrics_of(outcome, **more):
    from pyibc.indexer.live.follow import Board, Round
    from pyibc.indexer.live.metrics import Metrics

    board = Board()
    board.post(Round(outcome, 1.0, 0.0))
    return Metrics(board, **more)


def test_each_chain_its_packets_and_its_last_block(live):
    live.chains.event("a-1", 42, "send_packet", 20)
    live.put(("a-1", 42), ("a-1", 50))
    live.look()
    found = of(live.metrics)
    assert by(found, "ibc_chain_height", "chain") == {"a-1": 50, "b-1": 37}
    assert by(found, "ibc_chain_block_timestamp_seconds", "chain") == {"a-1": 50, "b-1": 37}
    assert by(found, "ibc_chain_gaps", "chain") == {"a-1": 2, "b-1": 0}
    assert by(found, "ibc_chain_gap_heights", "chain") == {"a-1": 9, "b-1": 0}
    assert by(found, "ibc_chain_known_blocks", "chain") == {"a-1": 39, "b-1": 34}
    # unknown: blocks after the send are missing
    pending = by(found, "ibc_chain_pending_packets", "chain", "state")
    assert {key for key, value in pending.items() if value} == {("a-1", "unknown")}
    assert by(found, "ibc_chain_oldest_pending_send_timestamp_seconds", "chain") == {"a-1": 42}
    transfers = by(found, "ibc_transfers_total", "src_chain", "dst_chain", "outcome")
    assert transfers == {
        ("a-1", "b-1", "delivered"): 12,
        ("a-1", "b-1", "answered"): 0,
        ("a-1", "b-1", "refunded"): 1,
    }
    assert by(found, "ibc_open_transfers", "state") == {"refused": 0, "received": 0, "pending": 1}
    assert by(found, "ibc_transferred_amount_total", "coin") == {"ua": 60}
    assert found[("ibc_index_runs_total",)] == 1


def test_packets_that_failed_are_counted_apart_from_those_that_succeeded(looked):
    found = of(looked.metrics)
    packets = by(found, "ibc_packets", "state")
    assert {state: n for state, n in packets.items() if n} == {"succeeded": 12, "failed": 1}
    sides = {
        ("a-1", "send_packet", ""): 13,
        ("b-1", "recv_packet", ""): 13,
        ("b-1", "write_acknowledgement", "success"): 12,
        ("b-1", "write_acknowledgement", "error"): 1,
        ("a-1", "acknowledge_packet", "success"): 12,
        ("a-1", "acknowledge_packet", "error"): 1,
    }
    counts = by(found, "ibc_chain_packet_events_total", "chain", "event", "result")
    assert {key: n for key, n in counts.items() if n} == sides
    counts = by(found, "ibc_channel_packet_events_total", "event", "result", **DIRECTION)
    assert {key: n for key, n in counts.items() if n} == {key[1:]: n for key, n in sides.items()}
    counts = by(found, "ibc_relayer_packet_events_total", "relayer", "event", "result")
    assert {key: n for key, n in counts.items() if n} == {
        ("relayer-b-1", "recv_packet", ""): 13,
        ("relayer-a-1", "acknowledge_packet", "success"): 12,
        ("relayer-a-1", "acknowledge_packet", "error"): 1,
    }
    count = "ibc_channel_latency_seconds_count"
    assert by(found, count, "event", "result", **DIRECTION) == {
        ("recv_packet", ""): 13,
        ("acknowledge_packet", "success"): 12,
        ("acknowledge_packet", "error"): 1,
    }


def test_latencies_are_histograms(indexed, tmp_path):
    chains = Chains(tmp_path / "in")
    for sequence, (received, acknowledged) in enumerate([(3, 5), (4, 12), (2, 200)], 1):
        chains.event("a-1", 2, "send_packet", sequence)
        chains.event("b-1", received, "recv_packet", sequence, owner="a-1")
        ack = {"owner": "a-1", "packet_ack_hex": b'{"result":"AQ=="}'.hex()}
        chains.event("b-1", received, "write_acknowledgement", sequence, **ack)
        chains.event("a-1", acknowledged, "acknowledge_packet", sequence)
    chains.event("a-1", 2, "send_packet", 4, until=4 * 10**9)
    chains.event("a-1", 62, "timeout_packet", 4)
    chains.event("a-1", 62, "acknowledge_packet", 9)  # its send is not known, so it has no latency
    metrics = metrics_of(indexed(chains.write()))
    found = of(metrics)
    name = "ibc_channel_latency_seconds"
    acknowledged = {"event": "acknowledge_packet", "result": "success"}
    buckets = by(found, f"{name}_bucket", "le", **acknowledged)
    shown = {bound: buckets[bound] for bound in ("1.0", "5.0", "10.0", "120.0", "300.0", "86400.0", "+Inf")}
    assert shown == {"1.0": 0, "5.0": 1, "10.0": 2, "120.0": 2, "300.0": 3, "86400.0": 3, "+Inf": 3}
    assert by(found, f"{name}_sum", "event") == {
        "recv_packet": 3,
        "acknowledge_packet": 211,
        "timeout_packet": 60,
    }
    assert by(found, f"{name}_count", "event", "result") == {
        ("recv_packet", ""): 3,
        ("acknowledge_packet", "success"): 3,
        ("timeout_packet", ""): 1,
    }
    assert by(found, "ibc_hop_latency_seconds_sum", "hop", "step") == {
        ("1", "received"): 3,
        ("1", "delivered"): 211,
        ("1", "refunded"): 60,
    }
    kinds = [family.type for family in metrics.collect() if "latency" in family.name]
    assert kinds == ["histogram", "histogram"]


@pytest.mark.parametrize(("days", "state"), [(6, "stuck"), (8, "abandoned")])
def test_a_packet_that_is_stuck_for_a_week_is_abandoned(indexed, tmp_path, days, state):
    chains = Chains(tmp_path / "in")
    chains.event("a-1", 2, "send_packet", 1, until=4 * 10**9)
    chains.event("a-1", 3, "send_packet", 2)
    chains.event("b-1", 5, "recv_packet", 2, owner="a-1")
    for chain in ("a-1", "b-1"):
        for height in range(8, 30):
            chains.halt(chain, height, 299)
        chains.halt(chain, 30, days * DAY)
        chains.empty(chain, 30)
    chains.event("a-1", 29, "send_packet", 3)
    chains.event("a-1", 30, "acknowledge_packet", 3)
    found = of(metrics_of(indexed(chains.write())))
    received = {"stuck": "ack_overdue", "abandoned": "ack_abandoned"}[state]
    ended = {"acknowledged": 1}  # the packet whose block is the last one
    assert {key: n for key, n in by(found, "ibc_packets", "state").items() if n} == {
        state: 1,
        received: 1,
        **ended,
    }
    pending = by(found, "ibc_channel_pending_packets", "state")
    assert {key: n for key, n in pending.items() if n} == {state: 1, received: 1}
    pending = by(found, "ibc_chain_pending_packets", "chain", "state")
    assert {key: n for key, n in pending.items() if n} == {("a-1", state): 1, ("a-1", received): 1}
    oldest = by(found, "ibc_chain_oldest_pending_send_timestamp_seconds", "chain")
    assert oldest == ({"a-1": 2} if state == "stuck" else {})
    assert by(found, "ibc_channel_oldest_pending_send_timestamp_seconds", "src_chain") == oldest


def test_counters_do_not_fall_when_a_round_counts_less():
    counters = Counters()
    assert counters.update("n", [(("a",), 5), (("b",), 2)]) == {("a",): 5, ("b",): 2}
    assert counters.update("n", [(("a",), 3), (("b",), 4)]) == {("a",): 5, ("b",): 4}
    assert counters.update("n", [(("a",), 6)]) == {("a",): 6}
    assert counters.update("m", [(("a",), 1)]) == {("a",): 1}


def test_others_count_what_happens_and_no_change_of_labels():
    counters = Counters()
    assert counters.update("n", [(("a",), 50), (None, 20), (None, 9)]) == {("a",): 50, None: 0}
    assert counters.update("n", [(("a",), 51), (None, 33)])[None] == 4
    # `b` with 30 gets labels of its own, and `a` keeps them
    assert counters.update("n", [(("a",), 52), (("b",), 30), (None, 5)]) == {("a",): 52, ("b",): 30, None: 6}
    # `a` loses them: what is counted of it from then on belongs to the others
    assert counters.update("n", [(("b",), 60), (None, 58)]) == {("b",): 60, None: 7}
    assert counters.update("n", [(("b",), 61), (None, 50)]) == {("b",): 61, None: 7}
    assert counters.update("n", [(("b",), 61)])[None] == 7


def test_counters_do_not_fall_when_a_series_leaves_and_returns(monkeypatch):
    counters = Counters()
    counters.update("n", [(("a",), 50), (None, 3)])
    assert counters.update("n", [(("b",), 60), (None, 53)]) == {("b",): 60, None: 60}
    assert counters.update("n", [(("a",), 40), (("b",), 60)])[("a",)] == 50
    monkeypatch.setattr("pyibc.indexer.live.families._KEPT", 1)  # a stranger makes many
    counters.update("n", [(("c",), 1)])
    counters.update("n", [(("d",), 1)])
    assert counters.update("n", [(("c",), 0), (("b",), 0)]) == {("c",): 1, ("b",): 0, None: 60}


def test_others_count_nothing_twice_when_tables_are_made_anew():
    counters = Counters()
    counters.update("n", [(("a",), 50), (None, 5_000)])
    assert counters.update("n", [(("a",), 1), (None, 10)]) == {("a",): 50, None: 0}
    assert counters.update("n", [(("a",), 40), (None, 4_000)]) == {("a",): 50, None: 0}
    assert counters.update("n", [(("a",), 51), (None, 5_002)]) == {("a",): 51, None: 2}


def test_before_the_first_round_there_is_nothing_but_the_program(live):
    names = {key[0] for key in of(live.metrics) if not key[0].startswith("process_")}
    assert names == {
        "ibc_index_runs_total",
        "ibc_index_failures_total",
        "ibc_index_alerts_total",
        "ibc_index_alert_failures_total",
        "ibc_index_up",
        "ibc_index_build_info",
    }


@pytest.fixture
def crowded(indexed, tmp_path):
    """Thirty channels of another user with one stuck packet each, and one channel in regular use."""
    chains = Chains(tmp_path / "crowd")
    for sequence in range(1, 4):
        chains.relay(sequence, sequence)
    for number in range(30):
        ends = {"src": ("transfer", f"channel-9{number}"), "dst": ("x" * 300, f"{'y' * 200}{number}")}
        chains.event("a-1", 2, "send_packet", 1, until=1, **ends)
    chains.write()
    return partial(indexed, chains.folder)


def test_h115_a_stranger_s_channels_are_one_series_and_nothing_is_lost(crowded):
    found = of(metrics_of(crowded(listed=4)))
    stuck = by(found, "ibc_channel_pending_packets", "src_channel", state="stuck")
    assert len(stuck) == 5
    assert (stuck["channel-0"], stuck["other"], sum(stuck.values())) == (0, 27, 30)
    sent = by(found, "ibc_channel_packet_events_total", "src_channel", event="send_packet")
    assert (sent["channel-0"], sent["other"], len(sent)) == (3, 0, 5)
    assert by(found, "ibc_chain_packet_events_total", "chain", event="send_packet") == {"a-1": 33, "b-1": 0}
    assert by(found, "ibc_packets", "state")["stuck"] == 30
    assert found[("ibc_channels",)] == 31
    whole = of(metrics_of(crowded()))
    assert all(len(value) <= 128 for key in whole for _, value in key[1:])
    listed = by(whole, "ibc_channel_pending_packets", "src_channel", state="stuck")
    assert (len(listed), sum(listed.values())) == (31, 30)


def test_h115_a_stranger_s_clients_are_one_series(looked):
    from pyibc.indexer.live.follow import Board, Round
    from pyibc.indexer.live.metrics import Metrics

    outcome = looked.board.read().last.outcome
    clients = [
        SimpleNamespace(
            chain="a-1",
            client=f"07-tendermint-{number}",
            claimed_chain="b-1",
            expires=(30 + number) * 10**6,
            misbehaved=number == 29,
            packets=0,
            channels=int(number < 29),
        )
        for number in range(30)
    ]
    tables = outcome.answers.tables._replace(clients=clients, client_count=30)
    board = Board()
    board.post(Round(outcome._replace(answers=outcome.answers._replace(tables=tables)), 1.0, 0.0))
    found = of(Metrics(board, listed=4))
    expiry = by(found, "ibc_client_expiry_timestamp_seconds", "client")
    assert expiry == {
        **{f"07-tendermint-{n}": 30 + n for n in range(4)},
        "other": 40,
    }  # the last block is of 39
    assert by(found, "ibc_client_misbehaved", "client")["other"] == 1
    states = by(found, "ibc_chain_clients", "state", chain="a-1")
    assert states == {"active": 19, "expired": 10, "misbehaved": 0, "unused": 1}


def test_h115_a_relayer_s_many_fee_coins_take_the_labels_of_nobody():
    names = ("relayer", "chain")
    rows = [SimpleNamespace(relayer="r", chain="a-1", n=9) for _ in range(5)]
    rows += [SimpleNamespace(relayer=name, chain="a-1", n=1) for name in ("s", "t", "r")]
    found = labelled(rows, names, 2)
    assert [labels for labels, _ in found] == [*[("r", "a-1")] * 5, ("s", "a-1"), None, ("r", "a-1")]


def test_h115_names_of_a_stranger_s_break_no_line(indexed, tmp_path):
    chains = Chains(tmp_path / "odd")
    odd = 'a"} 1\nibc_packets{state="stuck"} 7\\'
    chains.event("a-1", 2, "send_packet", 1, src=("transfer", odd), dst=("transfer", "\x1b[2J"))
    other = {"src": ("other", "other"), "dst": ("other", "other")}
    chains.event("other", 2, "send_packet", 1, **other)
    found = of(metrics_of(indexed(chains.write())))
    assert by(found, "ibc_packets", "state")["stuck"] == 0
    assert by(found, "ibc_channel_pending_packets", "src_channel", state="sent")[odd] == 1
    assert by(found, "ibc_chain_pending_packets", "chain", state="sent") == {"a-1": 1, "other": 1}
