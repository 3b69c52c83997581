"""Prometheus metrics: correct values in a bounded number of series."""

import re
from pathlib import Path

import pytest

from tests.exported_chains import Chains

ROOT = Path(__file__).parents[5]


def of(metrics):
    from prometheus_client.parser import text_string_to_metric_families

    return {
        (sample.name, *sorted(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(metrics.text().decode())
        for sample in family.samples
    }


def by(samples, name, label):
    return {dict(key[1:])[label]: value for key, value in samples.items() if key[0] == name}


def test_each_chain_its_packets_and_its_age(live):
    live.chains.event("a-1", 42, "send_packet", 20)
    live.put(("a-1", 42), ("a-1", 50))
    live.look()
    found = of(live.metrics)
    assert by(found, "ibc_chain_height", "chain") == {"a-1": 50, "b-1": 37}
    assert by(found, "ibc_chain_time_seconds", "chain") == {"a-1": 50, "b-1": 37}
    assert by(found, "ibc_chain_data_age_seconds", "chain") == {"a-1": 950, "b-1": 963}
    assert by(found, "ibc_chain_gaps", "chain") == {"a-1": 2, "b-1": 0}
    assert by(found, "ibc_chain_gap_heights", "chain") == {"a-1": 9, "b-1": 0}
    assert by(found, "ibc_chain_known_blocks", "chain") == {"a-1": 39, "b-1": 34}
    waiting = {key[1:]: value for key, value in found.items() if key[0] == "ibc_chain_waiting_packets"}
    assert waiting[("chain", "a-1"), ("state", "in_flight")] == 1
    assert waiting[("chain", "a-1"), ("state", "unknown")] == 1  # blocks after the send are missing
    assert waiting[("chain", "a-1"), ("state", "stuck")] == 0
    assert by(found, "ibc_chain_oldest_in_flight_seconds", "chain") == {"a-1": 42}
    assert by(found, "ibc_relayer_packets", "relayer").keys() == {"relayer-a-1", "relayer-b-1"}
    assert (
        found[("ibc_transfers", ("dst_chain", "b-1"), ("outcome", "delivered"), ("src_chain", "a-1"))] == 12
    )
    assert found[("ibc_index_runs_total",)] == 1


def test_before_the_first_round_there_is_nothing_but_the_program(live):
    names = {key[0] for key in of(live.metrics)}
    assert names == {
        "ibc_index_runs_total",
        "ibc_index_failures_total",
        "ibc_index_alerts_total",
        "ibc_index_alert_failures_total",
        "ibc_index_up",
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
    return indexed(chains.folder)


def test_h115_a_stranger_s_channels_are_one_series_and_nothing_is_lost(crowded):
    from pyibc.indexer.live.board import Board, Round
    from pyibc.indexer.live.metrics import Metrics

    board = Board()
    board.post(Round(crowded, 1.0, 0.0))
    found = of(Metrics(board, lambda: 0.0, listed=4))
    stuck = {
        dict(key[1:])["src_channel"]: value
        for key, value in found.items()
        if key[0] == "ibc_channel_packets" and ("state", "stuck") in key
    }
    assert len(stuck) == 5
    assert (stuck["channel-0"], stuck["other"], sum(stuck.values())) == (0, 27, 30)
    assert found[("ibc_packets", ("state", "stuck"))] == 30
    assert found[("ibc_channels",)] == 31
    whole = of(Metrics(board, lambda: 0.0))
    assert all(len(value) <= 128 for key in whole for _, value in key[1:])
    listed = {key for key in whole if key[0] == "ibc_channel_packets" and ("state", "stuck") in key}
    assert len(listed) == 31


def test_h115_names_of_a_stranger_s_break_no_line(indexed, tmp_path):
    from pyibc.indexer.live.board import Board, Round
    from pyibc.indexer.live.metrics import Metrics

    chains = Chains(tmp_path / "odd")
    odd = 'a"} 1\nibc_packets{state="stuck"} 7\\'
    chains.event("a-1", 2, "send_packet", 1, src=("transfer", odd), dst=("transfer", "\x1b[2J"))
    chains.write()
    board = Board()
    board.post(Round(indexed(chains.folder), 1.0, 0.0))
    found = of(Metrics(board, lambda: 0.0))
    assert found[("ibc_packets", ("state", "stuck"))] == 0
    assert by(found, "ibc_channel_in_flight_packets", "src_channel") == {odd: 1}


@pytest.mark.parametrize("name", ["alerts.yml", "dashboard.json"])
def test_what_alert_rules_and_the_dashboard_name_is_there(live, name):
    live.look()
    text = (ROOT / "examples" / "prometheus" / name).read_text()
    families = {family.name for family in live.metrics.collect()}
    known = families | {f"{each}_total" for each in families}
    named = set(re.findall(r"\bibc_[a-z_]+\b", text))
    assert named - known == set()
    assert len(named) >= 8
