"""Metrics, health checks and logs."""

import io
import json
import logging
import sys

import pytest
from prometheus_client.parser import text_string_to_metric_families

from pyibc.relayer.chain.values import Tip
from pyibc.relayer.daemon.chain_watch import ChainStatus
from pyibc.relayer.daemon.exposition import MAX_TEXT, DaemonSnapshot, Exposition, health, log_to
from pyibc.relayer.daemon.troubles import Trouble, TroubleKind
from pyibc.relayer.daemon.worker import WorkerState, WorkerStatus
from pyibc.relayer.metrics import ClientExpiry, Latencies, Metrics, Stopwatch
from pyibc.relayer.packets.backlog import PendingCount
from pyibc.relayer.rpc.pool_node import NodeState, NodeStatus

EXPIRY = ClientExpiry("a-1", "07-tendermint-3", "b-2", 1_700_600_000_500_000_000, 1_209_600 * 10**9)
WELL = WorkerStatus(
    "ab",
    WorkerState.RELAYING,
    "",
    0,
    Metrics(delivered=5, acknowledged=4, timed_out=1, transactions=9, expiries=(EXPIRY,)),
    (
        PendingCount("a-1", "b-2", "transfer/channel-0", 3, 7),
        PendingCount("b-2", "a-1", "transfer/channel-9", 0, 0),
    ),
    1_700_000_001.25,
)
PARTLY = WorkerStatus(
    "ad", WorkerState.RELAYING, "", 0, Metrics(given_up={"recv 5": "why"}, given_up_s=70.4), ()
)
BAD = WorkerStatus("ac", WorkerState.WAITING, "c-3: is down", 2, Metrics(given_up={"recv 4": "why"}), ())
WATCH = Stopwatch()
for seconds in (0.5, 0.6, 3, 400):
    WATCH.took(seconds)
LABELS = (
    *("path", "chain", "node", "state", "client", "counterparty", "src_chain", "dst_chain", "end"),
    *("account", "denom", "le", "kind", "subject"),
)
UP = ChainStatus(
    "a-1",
    True,
    "",
    Tip(12, 1_700_000_000_500_000_000),
    "uatom",
    (("cosmos1x", 10**25), ("cosmos1y", 3)),
    WATCH.value,
    Latencies((4,) + (0,) * 10, 1.5),
    spent_today=4_321,
    nodes=(
        NodeStatus("http://x", NodeState.IN_USE, 1_700_000_000.0, "", 12, 0.0),
        NodeStatus("http://y", NodeState.DROPPED, 1_700_000_001.0, "it lies", 0, 1_700_000_061.0),
    ),
)
PATTERN = WorkerStatus(
    "a*",
    WorkerState.RELAYING,
    "",
    0,
    Metrics(),
    (),
    channels=2,
    left_out=3,
    left_out_reasons={"t/c-7": "why"},
)
DOWN = ChainStatus("c-3", False, "c-3: is down", None, "uosmo")


def samples(seen):
    text = Exposition(lambda: seen).text().decode()
    return {
        (sample.name, tuple(sample.labels[name] for name in LABELS if name in sample.labels)): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_every_number_of_a_daemon_is_told():
    found = samples(DaemonSnapshot([WELL, BAD], [UP, DOWN]))
    assert found["ibc_relay_delivered_total", ("ab",)] == 5
    assert found["ibc_relay_acknowledged_total", ("ab",)] == 4
    assert found["ibc_relay_timed_out_total", ("ab",)] == 1
    assert found["ibc_relay_transactions_total", ("ab",)] == 9
    assert found["ibc_relay_delivered_total", ("ac",)] == 0
    assert found["ibc_relay_backlog_size", ("ab", "a-1", "b-2", "transfer/channel-0")] == 3
    assert found["ibc_relay_backlog_oldest_sequence", ("ab", "a-1", "b-2", "transfer/channel-0")] == 7
    assert found["ibc_relay_backlog_size", ("ab", "b-2", "a-1", "transfer/channel-9")] == 0
    assert [found["ibc_relay_path_up", (name,)] for name in ("ab", "ac")] == [1, 0]
    assert [found["ibc_relay_path_failures", (name,)] for name in ("ab", "ac")] == [0, 2]
    assert [found["ibc_relay_given_up", (name,)] for name in ("ab", "ac")] == [0, 1]
    assert found["ibc_relay_given_up_seconds", ("ab",)] == 0
    assert found["ibc_relay_spent_today", ("a-1", "uatom")] == 4_321
    client = ("ab", "a-1", "07-tendermint-3", "b-2")
    assert found["ibc_relay_client_expires_seconds", client] == 1_700_600_000.5
    assert found["ibc_relay_client_trusting_seconds", client] == 1_209_600
    assert [found["ibc_relay_chain_up", (name,)] for name in ("a-1", "c-3")] == [1, 0]
    assert found["ibc_relay_chain_height", ("a-1",)] == 12
    assert found["ibc_relay_chain_time_seconds", ("a-1",)] == 1_700_000_000.5
    assert found["ibc_relay_wallet_balance", ("a-1", "cosmos1x", "uatom")] == 1e25
    assert found["ibc_relay_wallet_balance", ("a-1", "cosmos1y", "uatom")] == 3
    submitted = "ibc_relay_tx_latency_submitted_seconds"
    assert (found[f"{submitted}_count", ("a-1",)], found[f"{submitted}_sum", ("a-1",)]) == (4, 1.5)
    assert found["ibc_relay_misbehaviours_total", ("ab",)] == found["ibc_relay_conflicts_total", ("ab",)] == 0
    assert found["ibc_relay_backlog_latest_update_seconds", ("ab",)] == 1_700_000_001.25
    assert ("ibc_relay_backlog_latest_update_seconds", ("ac",)) not in found
    bucket = "ibc_relay_tx_latency_confirmed_seconds_bucket"
    assert [found[bucket, ("a-1", bound)] for bound in ("0.5", "1.0", "2.0", "5.0", "300.0", "+Inf")] == [
        *(1, 2, 2, 3, 3),
        4,
    ]
    assert found["ibc_relay_tx_latency_confirmed_seconds_sum", ("a-1",)] == pytest.approx(404.1)
    assert ("ibc_relay_chain_height", ("c-3",)) not in found
    assert not [key for key in found if key[0] == "ibc_relay_wallet_balance" and key[1][0] == "c-3"]
    assert [found["ibc_relay_node_up", ("a-1", node)] for node in ("http://x", "http://y")] == [1, 0]
    assert [found["ibc_relay_node_height", ("a-1", node)] for node in ("http://x", "http://y")] == [12, 0]
    since = "ibc_relay_node_state_since_seconds"
    assert found[since, ("a-1", "http://y", "dropped")] == 1_700_000_001
    assert found["ibc_relay_node_next_seconds", ("a-1", "http://y")] == 1_700_000_061


@pytest.mark.parametrize(
    ("links", "chains", "expected"),
    [
        ([WELL, PARTLY], [UP], True),
        ([WELL, BAD], [UP], False),
        ([WELL], [UP, DOWN], False),
        ([], [], True),
    ],
)
def test_health_is_all_paths_and_all_chains(links, chains, expected):
    well, body = health(DaemonSnapshot(links, chains))
    assert well is json.loads(body)["well"] is expected


def test_every_number_is_in_the_answer_to_a_health_check():
    told = json.loads(health(DaemonSnapshot([WELL, PARTLY, BAD], [UP, DOWN]))[1])
    names = "state", "pending", "acknowledged", "given_up", "given_up_s", "clients"
    client = {"chain": "a-1", "client": "07-tendermint-3", "counterparty": "b-2"}
    client |= {"expires_s": 1_700_600_000, "trusting_s": 1_209_600}
    assert [[path[name] for name in names] for path in told["paths"]] == [
        ["relaying", 3, 4, 0, 0, [client]],
        ["relaying", 0, 0, 1, 70, []],
        ["waiting", 0, 0, 1, 0, []],
    ]
    names = "height", "spent_today", "balances"
    assert [[chain[name] for name in names] for chain in told["chains"]] == [
        [12, 4_321, [["cosmos1x", 10**25], ["cosmos1y", 3]]],
        [None, 0, []],
    ]
    nodes = told["chains"][0]["nodes"]
    assert [node["state"] for node in nodes] == ["in use", "dropped"]
    names = "reason", "since_s", "next_s"
    assert [nodes[1][name] for name in names] == ["it lies", 1_700_000_001, 1_700_000_061]


def test_what_a_pattern_leaves_out_is_told_and_is_no_failure():
    seen = DaemonSnapshot([WELL, PATTERN], [UP])
    assert samples(seen)["ibc_relay_left_out", ("a*",)] == 3
    well, body = health(seen)
    told = json.loads(body)["paths"][1]
    assert (well, told["left_out"], told["left_out_reasons"]) == (True, 3, {"t/c-7": "why"})


@pytest.mark.parametrize(
    ("links", "troubles", "status"),
    [
        ([WELL], [], "ok"),
        ([PARTLY], [Trouble(TroubleKind.MESSAGE, "ad", "why", 7.0)], "degraded"),
        ([WELL], [Trouble(TroubleKind.NODE, "a-1 n", "why", 7.0)], "degraded"),
        ([BAD], [Trouble(TroubleKind.MESSAGE, "ac", "why", 7.0)], "failing"),
    ],
)
def test_a_message_that_is_given_up_degrades_the_health(links, troubles, status):
    well, body = health(DaemonSnapshot(links, [UP], troubles))
    assert (json.loads(body)["status"], well) == (status, status != "failing")


@pytest.mark.parametrize(("kind", "expected"), [(TroubleKind.DISK, False), (TroubleKind.MESSAGE, True)])
def test_troubles_are_told_with_their_begin(kind, expected):
    seen = DaemonSnapshot([WELL], [UP], [Trouble(kind, "ab", "why", 1_700_000_007.5)])
    assert samples(seen)["ibc_relay_trouble_since_seconds", (kind.value, "ab")] == 1_700_000_007.5
    well, body = health(seen)
    told = {"kind": kind.value, "subject": "ab", "reason": "why", "since_s": 1_700_000_007.5}
    assert (well, json.loads(body)["troubles"]) == (expected, [told])


def test_a_log_is_lines_of_json():
    stream = io.StringIO()
    log_to(stream, "info")
    log = logging.getLogger("pyibc.relayer")
    log.debug("too little")
    log.warning("failed", extra={"path": "a\nb", "reason": "x" * 5_000, "pause_s": 0.5})
    log.error("failed", exc_info=KeyError("a fault"))
    first, second = map(json.loads, stream.getvalue().splitlines())
    assert {**first, "time": ""} == {
        "time": "",
        "level": "warning",
        "event": "failed",
        "path": "a\nb",
        "reason": "x" * MAX_TEXT,
        "pause_s": 0.5,
    }
    assert first["time"].endswith("+00:00")
    assert "KeyError: 'a fault'" in second["traceback"]
    log_to(sys.stderr, "warning")
